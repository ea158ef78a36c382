import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'

interface Listed {
  requirements?: { title: string }[]
  tests?: { title: string }[]
}

/** Texts that JSON can hold, and databases only in part. */
const odd = { nul: 'a\0b', half: 'a\ud800', escape: 'a\\u0000b', backslash: 'a\\' }

test.each(['requirements', 'tests'] as const)('%s with odd tags are found by them, and so are the others', async (kind) => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/${kind}`
  const create = (title: string, tags: string[]) =>
    app.request('POST', path, { title, tags, ...(kind === 'tests' && { kind: 'TEST_KIND_CASE' }) })
  for (const [title, tag] of Object.entries({ ...odd, plain: 'plain' })) {
    expect((await create(title, ['every', tag])).status).toBe(200)
  }
  const titles = async (tag: string) => {
    const { body } = await app.request<Listed>('GET', `${path}?tag=${encodeURIComponent(tag)}`)
    return (body[kind] ?? []).map(({ title }) => title)
  }
  expect(await titles('every')).toEqual([...Object.keys(odd), 'plain'])
  expect(await titles('plain')).toEqual(['plain'])
  expect(await titles(odd.nul)).toEqual(['nul'])
  expect(await titles(odd.escape)).toEqual(['escape'])
  expect(await titles(odd.backslash)).toEqual(['backslash'])
})

test('a path that no file can have is the path of no requirement', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/requirements`
  await app.request('POST', path, { title: 'One', code_refs: [{ path: 'src/a.ts' }] })
  const { status, body } = await app.request<Listed>('GET', `${path}?path=${encodeURIComponent('src/\0/a.ts')}`)
  expect([status, body.requirements]).toEqual([200, []])
})
