import { expect, test } from 'vitest'
import { behindProxy, useProxies } from '../client/proxy/behind-proxy.ts'
import { serveHere, tracegate, tracegateProcess } from './run.ts'

useProxies()

const deployment = { TRACEGATE_BASE_URL: 'https://quality.example', TRACEGATE_API_TOKEN: 'secret' }

test.each(['HTTPS_PROXY', 'https_proxy'])('doctor reaches a deployment through the proxy of %s', async (name) => {
  const { address, received } = await behindProxy()
  await tracegate(['doctor'], { ...deployment, [name]: `http://${address}` })
  expect(received[0]).toMatchObject({ host: 'quality.example', authorization: 'Bearer secret' })
})

test('a tool call reaches a deployment through the proxy', async () => {
  const { address, received } = await behindProxy()
  await tracegate(['call', 'get_workspace_context', '{}'], { ...deployment, HTTPS_PROXY: address })
  expect(received[0]).toMatchObject({ host: 'quality.example', authorization: 'Bearer secret' })
})

test('a server at another address is called through the proxy', async () => {
  const { address, received } = await behindProxy()
  const env = { TRACEGATE_API_TOKEN: 'secret', HTTPS_PROXY: address }
  await tracegate(['call', 'get_workspace_context', '--url', 'https://quality.example/mcp'], env)
  expect(received[0]).toMatchObject({ host: 'quality.example', authorization: 'Bearer secret' })
})

test('an unusable proxy is named when a server is called through it', async () => {
  const env = { TRACEGATE_API_TOKEN: 'secret', HTTPS_PROXY: 'http://127.0.0.1:1' }
  const { code, stderr } = await tracegate(
    ['call', 'get_workspace_context', '--url', 'https://quality.example/mcp'],
    env,
  )
  expect(code).toBe(1)
  expect(stderr).toBe(
    'tracegate: the proxy in HTTPS_PROXY does not lead to https://quality.example/mcp: check its address, or name the host in NO_PROXY\n',
  )
})

test('a server of this machine is asked without the proxy that Node itself uses', async () => {
  await using app = await serveHere()
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' }
  const flags = ['--url', app.endpoints.mcp, '--data', app.dataDir]
  const called = await tracegateProcess(['call', 'get_workspace_context', '{}', ...flags], env)
  expect(called).toMatchObject({ code: 0, stderr: '' })
})
