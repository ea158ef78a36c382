import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Served } from '../serve.ts'
import { serveHere, tracegate } from './run.ts'

let app: Served
beforeAll(async () => {
  app = await serveHere()
})
afterAll(() => app[Symbol.asyncDispose]())

const admin = (...words: string[]) => tracegate(['admin', 'key', ...words, '--data', app.dataDir])

/** Sends a crash as an SDK with this DSN does. */
async function crash(dsn: string, type: string): Promise<number> {
  const { origin, username: key, pathname } = new URL(dsn)
  const event = { event_id: crypto.randomUUID().replaceAll('-', ''), exception: { values: [{ type, value: 'x' }] } }
  const body = ['{}', '{"type":"event"}', JSON.stringify(event)].join('\n')
  const { status } = await fetch(`${origin}/api${pathname}/envelope/?sentry_key=${key}`, { method: 'POST', body })
  return status
}

/** The key in the product's DSN. */
async function publicKey(): Promise<string | undefined> {
  const { workspaces } = await app.rest<{ workspaces: { id: string }[] }>('GET', '/v1/workspaces')
  const path = `/v1/workspaces/${workspaces[0]?.id ?? ''}/products`
  const { products } = await app.rest<{ products: { ingest: { public_key: string } }[] }>('GET', path)
  return products[0]?.ingest.public_key
}

test('an error that comes with a server key is vouched for, and one with a public key is not', async () => {
  const added = await admin('add', '--server', '--name', 'checkout')
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http:\/\/[0-9a-f]{32}@127\.0\.0\.1:\d+\/1\n$/),
  })
  const dsn = added.stdout.trim()
  const { username: key } = new URL(dsn)
  const label = key.slice(0, 8)
  expect(added.stderr).toContain(`a server key of My product: ${label}. Set it as SENTRY_DSN of a backend`)
  expect(added.stderr).not.toContain(key)

  expect([await crash(dsn, 'ServerError'), await crash(app.endpoints.dsn, 'PageError')]).toEqual([200, 200])
  const { issues } = await app.rest<{ issues: { type: string; vouched_by: string }[] }>(
    'GET',
    `/v1/products/${app.endpoints.product_id}/issues?sort=first_seen`,
  )
  expect(Object.fromEntries(issues.map(({ type, vouched_by: by }) => [type, by]))).toEqual({
    ServerError: 'server_key',
    PageError: '',
  })

  const listed = (await admin('list')).stdout
  expect(listed).toContain(`${label} | server | checkout | valid\n`)
  expect(listed).not.toContain(key)
  expect(await publicKey()).not.toBe(key)
})

test('a key is revoked by its beginning, once, and the last public key stays', async () => {
  const label = (await admin('add', '--server')).stdout.slice('http://'.length, 'http://'.length + 8)
  expect(await admin('revoke', label)).toMatchObject({ code: 0, stdout: `revoked the server key ${label}\n` })
  expect((await admin('list')).stdout).toContain(`${label} | server |  | revoked\n`)
  const refused = async (given: string) => {
    const { code, stdout, stderr } = await admin('revoke', given)
    expect([code, stdout]).toEqual([1, ''])
    return stderr
  }
  expect(await refused(label)).toContain(`the key ${label} is revoked already`)
  expect(await refused(label.slice(0, 7))).toContain('see: tracegate admin key list')
  const { username: only } = new URL(app.endpoints.dsn)
  expect(await refused(only)).toContain('is the only public key of the product: add another one first')

  const second = new URL((await admin('add')).stdout.trim()).username
  expect(await admin('revoke', only)).toMatchObject({ code: 0 })
  expect(await publicKey()).toBe(second)
})
