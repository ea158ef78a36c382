import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { networkSend } from '../../../src/client/transport.ts'
import { proxyFor } from '../../../src/client/proxy/proxy-for.ts'
import { createUpload } from '../../../src/client/upload.ts'
import { ServiceError } from '../../../src/errors.ts'
import { cleanups, listening } from '../listening.ts'
import { behindProxy, useProxies } from './behind-proxy.ts'

useProxies()

function clientThrough(address: string, { baseUrl = 'https://quality.example', except = '' } = {}) {
  const send = networkSend({ proxy: { address, except }, connectTimeoutMs: 300 })
  cleanups.push(() => send.close())
  let waits = 0
  const sleep = () => {
    waits += 1
    return Promise.resolve()
  }
  return { api: createApi({ send, baseUrl, token: 'secret', sleep }), waits: () => waits }
}

const create = { product_id: '1', name: 'qa' }

test('a deployment is reached through the proxy, which sees the host and no token', async () => {
  const { address, asked, received } = await behindProxy()
  const { api } = clientThrough(`http://ann:pass%20word@${address}`)
  expect((await api.listWorkspaces({})).workspaces).toEqual([])
  const authorization = `Basic ${Buffer.from('ann:pass word').toString('base64')}`
  expect(asked).toEqual([{ host: 'quality.example:443', authorization }])
  expect(received).toMatchObject([{ host: 'quality.example', authorization: 'Bearer secret' }])
  expect(received[0]).not.toHaveProperty('proxy-authorization')
})

test('the address of the proxy may leave out http://', async () => {
  const { address, asked } = await behindProxy()
  await clientThrough(address).api.listWorkspaces({})
  expect(asked).toHaveLength(1)
})

test.each(['quality.example', '.example', '*.example', 'other.test, quality.example:443', '*'])(
  'a host that NO_PROXY names as %s is reached without the proxy',
  async (except) => {
    const { address, asked } = await behindProxy()
    const { api } = clientThrough(address, { except })
    await expect(api.listWorkspaces({})).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked).toEqual([])
  },
)

test.each(['quality.example.org', 'ality.example', 'quality.example:8443', '10.0.0.0/8'])(
  'a host that NO_PROXY does not name, as with %s, is reached through the proxy',
  async (except) => {
    const { address, asked } = await behindProxy()
    await clientThrough(address, { except }).api.listWorkspaces({})
    expect(asked).toHaveLength(1)
  },
)

test.each([
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://[fd00::1]', 'fd00::/8', true],
  ['https://[fd00::1]:8443', '[fd00::1]:8443', true],
  ['https://[fd00::1]', '[fd00::1]:8443', false],
  ['https://quality.example', '10.0.0.0/99 /8 [::/', false],
])('whether %s is reached without the proxy when NO_PROXY has %s: %s', (url, except, isDirect) => {
  const through = proxyFor(new URL(url), { address: 'http://proxy.example:3128', except })
  expect(through === undefined).toBe(isDirect)
})

test.each(['127.0.0.1', '127.9.9.9', 'localhost', '[::1]'])('%s is never reached through the proxy', async (host) => {
  const { address, asked, port } = await behindProxy()
  const { api } = clientThrough(address, { baseUrl: `https://${host}:${String(port)}` })
  await expect(api.listWorkspaces({})).rejects.toBeInstanceOf(ServiceError)
  expect(asked).toEqual([])
})

test.each([
  [407, 'misconfigured', 0, 'asks for a user name and password'],
  [403, 'misconfigured', 0, 'does not lead to this host'],
  [503, 'unavailable', 3, 'cannot reach the host'],
])('a proxy that answers %i is told apart from the deployment', async (status, code, repeats, words) => {
  const { address } = await behindProxy({ status })
  const { api, waits } = clientThrough(address)
  const message = expect.stringMatching(new RegExp(`PROXY_STATUS_${String(status)}.*HTTPS_PROXY ${words}`)) as string
  await expect(api.listWorkspaces({})).rejects.toMatchObject({ code, message })
  expect(waits()).toBe(repeats)
  // Nothing was sent to the deployment, so the write is known not to be done.
  await expect(api.createEnvironment(create)).rejects.toMatchObject({ code, message })
})

test.each([
  ['does not listen', 'http://127.0.0.1:1', 'PROXY_ECONNREFUSED'],
  ['has a name that does not exist', 'http://proxy.invalid:3128', 'PROXY_E'],
])('a proxy that %s is named, not the base address', async (_, address, code) => {
  const { api } = clientThrough(address)
  const message = expect.stringMatching(new RegExp(`${code}.*check HTTPS_PROXY$`)) as string
  await expect(api.createEnvironment(create)).rejects.toMatchObject({ code: 'unavailable', message })
})

test('a proxy that accepts connections and never answers is given up', async () => {
  const port = await listening(createServer())
  const { api } = clientThrough(`http://127.0.0.1:${String(port)}`)
  const message = expect.stringMatching(/PROXY_.*TIMEOUT/) as string
  await expect(api.createEnvironment(create)).rejects.toMatchObject({ code: 'unavailable', message })
})

test.each(['socks5://ann:hunter2@proxy.example:1080', 'http://', 'http://ann:hunter2%@proxy.example:3128'])(
  '%s is refused as a proxy',
  async (address) => {
    const failure: unknown = await clientThrough(address)
      .api.listWorkspaces({})
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'misconfigured', message: expect.stringContaining('HTTPS_PROXY') as string })
    expect(String(failure)).not.toContain('hunter2')
  },
)

const text = 'a source map'
const body = {
  sizeBytes: text.length,
  // oxlint-disable-next-line typescript/require-await -- an async source that never waits
  async *chunks() {
    yield Buffer.from(text)
  },
}

function uploadThrough(address: string, addresses: readonly string[]) {
  return createUpload({
    baseUrl: 'https://deployment.example',
    proxy: { address, except: '' },
    sleep: () => Promise.resolve(),
    lookup(name) {
      if (addresses.length > 0) return Promise.resolve(addresses.map((one) => ({ address: one, family: 4 })))
      return Promise.reject(Object.assign(new Error(`no address of ${name}`), { code: 'ENOTFOUND' }))
    },
  })
}

const { signal } = new AbortController()
const target = { url: 'https://quality.example/uploads/1?signature=2', headers: {} }

test.each([
  ['that this machine cannot resolve', []],
  ['with a public address', ['93.184.215.14']],
])('bytes go through the proxy to an upload address %s', async (_, addresses) => {
  const { address, asked, received, uploaded } = await behindProxy()
  await uploadThrough(address, addresses)(target, body, { signal })
  expect(asked).toMatchObject([{ host: 'quality.example:443' }])
  expect(uploaded).toEqual([text])
  expect(received[0]).not.toHaveProperty('authorization')
})

test.each([
  [407, 'misconfigured', /^no secure connection to the upload address \(PROXY_STATUS_407\): .* asks for a user name/],
  [503, 'unavailable', /^the upload failed \(PROXY_STATUS_503\): the proxy in HTTPS_PROXY cannot reach the host$/],
])('an upload that a proxy answers with %i names the proxy', async (status, code, words) => {
  const { address } = await behindProxy({ status })
  const message = expect.stringMatching(words) as string
  await expect(uploadThrough(address, [])(target, body, { signal })).rejects.toMatchObject({ code, message })
})

test.each([
  ['whose name leads into a private network', target.url, ['10.0.0.7']],
  ['that is an address of a private network', 'https://10.0.0.7/u', []],
])('the proxy is not asked for an upload address %s', async (_, url, addresses) => {
  const { address, asked } = await behindProxy()
  const upload = uploadThrough(address, addresses)({ ...target, url }, body, { signal })
  await expect(upload).rejects.toMatchObject({ code: 'upstream_shape_unknown' })
  expect(asked).toEqual([])
})
