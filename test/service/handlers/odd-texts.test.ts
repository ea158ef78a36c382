import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { usesPostgres } from '../../postgres/databases.ts'

interface Listed {
  requirements?: { title: string }[]
  tests?: { title: string }[]
}

/** Texts that JSON can hold, and databases only in part. */
const odd = { nul: 'a\0b', half: 'a\ud800', escape: 'a\\u0000b', backslash: 'a\\' }

test.each(['requirements', 'tests'] as const)(
  '%s with odd tags are found by them, and so are the others',
  async (kind) => {
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
  },
)

test('a path that no file can have is the path of no requirement', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/requirements`
  await app.request('POST', path, { title: 'One', code_refs: [{ path: 'src/a.ts' }] })
  const { status, body } = await app.request<Listed>('GET', `${path}?path=${encodeURIComponent('src/\0/a.ts')}`)
  expect([status, body.requirements]).toEqual([200, []])
})

/** A text of three bytes for each character, which no index can shorten. */
function ideographs(count: number): string {
  let state = 1
  const next = () => (state = (state * 48_271) % 2_147_483_647)
  return Array.from({ length: count }, () => String.fromCodePoint(0x4e00 + (next() % 20_000))).join('')
}

test('a report keeps tests apart whose long names take three bytes for each character', async () => {
  await using app = await startApp()
  const name = ideographs(999)
  const cases = ['一', '二'].map((last) => `<testcase classname="c" name="${name}${last}" file="a.py"/>`)
  const draft = { content: `<testsuite name="s">${cases.join('')}</testsuite>` }
  const path = `/v1/products/${app.productId}/tests`
  const reply = await app.request('POST', `${path}:ingest`, { draft, run: { run_key: 'one' } })
  expect(reply.status).toBe(200)
  expect((await app.request<{ tests: unknown[] }>('GET', `${path}?kind=case`)).body.tests).toHaveLength(2)
})

test.runIf(usesPostgres())('a name that is longer than the database can find again is refused', async () => {
  await using app = await startApp()
  const automation_ref = { framework: 'jest', file_path: 'a.ts', name: ideographs(1000) }
  const body = { title: 'One', kind: 'TEST_KIND_CASE', automation: 'AUTOMATION_STATUS_AUTOMATED', automation_ref }
  const reply = await app.request<{ message: string }>('POST', `/v1/products/${app.productId}/tests`, body)
  expect([reply.status, reply.body.message]).toEqual([400, expect.stringContaining('shorten it')])
})
