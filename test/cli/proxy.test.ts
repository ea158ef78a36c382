import { createServer } from 'node:https'
import { expect, test } from 'vitest'
import { behindProxy, useProxies } from '../client/proxy/behind-proxy.ts'
import { listening } from '../client/listening.ts'
import { createAuthority } from '../upstream/faults/certificates.ts'
import { serveHere, tracegate, tracegateProcess } from './run.ts'

useProxies()

const deployment = { TRACEGATE_BASE_URL: 'https://quality.example', TRACEGATE_API_TOKEN: 'secret' }

test.each(['HTTPS_PROXY', 'https_proxy'])('doctor reaches a deployment through the proxy of %s', async (name) => {
  const { address, received } = await behindProxy()
  await tracegate(['doctor'], { ...deployment, [name]: `http://${address}` })
  expect(received[0]).toMatchObject({ host: 'quality.example', authorization: 'Bearer secret' })
})

test.each(['', ' ', '${https_proxy}'])('a variable in lower case that is %j counts as unset', async (empty) => {
  const { address, received } = await behindProxy()
  const env = { https_proxy: empty, no_proxy: empty, HTTPS_PROXY: address }
  await tracegate(['doctor'], { ...deployment, ...env })
  expect(received).not.toEqual([])
  const before = received.length
  await tracegate(['doctor'], { ...deployment, ...env, NO_PROXY: 'quality.example' })
  expect(received).toHaveLength(before)
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

test.each(['secret', ''])(
  'an address that is no proxy is named when a server is called with the token %j',
  async (token) => {
    const env = { TRACEGATE_API_TOKEN: token, HTTPS_PROXY: 'socks5://127.0.0.1:1' }
    const { code, stderr } = await tracegate(['call', 'get_workspace_context', '--url', 'https://quality.example'], env)
    expect(code).toBe(1)
    expect(stderr).toContain('tracegate: HTTPS_PROXY is not the address of an HTTP proxy; write it as http://')
  },
)

test('a server behind the proxy is not said to be down where only the token is missing', async () => {
  const env = { HTTPS_PROXY: 'http://127.0.0.1:1' }
  expect(await tracegate(['call', 'get_workspace_context', '--url', 'https://quality.example'], env)).toMatchObject({
    code: 2,
    stderr: 'tracegate: --url: set TRACEGATE_API_TOKEN to the token of that server\n',
  })
})

test('a proxy that asks for a password is told apart from one that does not lead to the server', async () => {
  const { address } = await behindProxy({ status: 407 })
  const env = { TRACEGATE_API_TOKEN: 'secret', HTTPS_PROXY: address }
  const { stderr } = await tracegate(['call', 'get_workspace_context', '--url', 'https://quality.example'], env)
  expect(stderr).toContain('the proxy in HTTPS_PROXY asks for a user name and password; add them to its address')
})

test('a server whose certificate is refused is not said to be something else', async () => {
  const server = createServer(createAuthority().issue({ name: 'localhost', from: -1, until: 1 }))
  const url = `https://localhost:${String(await listening(server))}`
  const { stderr } = await tracegate(['call', 'get_workspace_context', '--url', url], { TRACEGATE_API_TOKEN: 'secret' })
  expect(stderr).toContain(`no secure connection to the server at ${url}/mcp (`)
})

test('a server of this machine is asked without the proxy that Node itself uses', async () => {
  await using app = await serveHere()
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' }
  const flags = ['--url', app.endpoints.mcp, '--data', app.dataDir]
  const called = await tracegateProcess(['call', 'get_workspace_context', '{}', ...flags], env)
  expect(called).toMatchObject({ code: 0, stderr: '' })
})
