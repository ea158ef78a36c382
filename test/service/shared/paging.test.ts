import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { digestText, type Cursor } from '../../../src/service/shared/page-token.ts'
import { nextToken, readPage } from '../../../src/service/shared/paging.ts'
import { startApp, type App } from '../../app.ts'
import { reasonOf, workspaceId } from '../people.ts'

const issues = { endpoint: 'listIssues' } as const

interface Listed {
  pagination: { next_page_token: string; page_size: number; total_size: number }
  next_page_token: string
}

const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme', minLength: 40 }))
const asOf = fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { nil: undefined })
const cursor = fc
  .oneof(
    fc.record({ sortValue: number, id: fc.uuid(), asOf }),
    fc.record({ sortValue: number, id: fc.nat().map(String), asOf }),
    fc.record({ sortValue: text, id: fc.uuid() }),
    fc.record({ sortValue: text, id: fc.nat().map(String) }),
  )
  .map((facts): Cursor => JSON.parse(JSON.stringify(facts)))

test('a token of at most 60 characters carries its cursor, a long text as its digest', () => {
  fc.assert(
    fc.property(cursor, (last) => {
      const token = nextToken(readPage(issues, {}), last)
      expect(token.length).toBeLessThanOrEqual(60)
      const { after } = readPage(issues, { page_size: 7, page_token: token })
      const { sortValue } = last
      const isLong = typeof sortValue === 'string' && Buffer.byteLength(sortValue) > 20
      const isCut = isLong && typeof after?.sortValue === 'object'
      expect(after).toEqual(isCut ? { ...last, sortValue: digestText(sortValue) } : last)
    }),
  )
})

test('no change of a token is another cursor', () => {
  fc.assert(
    fc.property(cursor, fc.nat(), fc.stringMatching(/^[A-Za-z0-9_-]?$/), (last, at, letter) => {
      const token = nextToken(readPage(issues, {}), last)
      const place = at % token.length
      const changed = token.slice(0, place) + letter + token.slice(place + 1)
      fc.pre(changed !== token)
      expect(() => readPage(issues, { page_token: changed })).toThrow('another query')
    }),
  )
})

test('any text that is no token is refused as a failure of the contract', () => {
  fc.assert(
    fc.property(fc.string(), (page_token) => {
      fc.pre(page_token !== '')
      expect(() => readPage(issues, { page_token })).toThrow(ServiceError)
    }),
  )
})

test('the size of the pages may change under way, the filters may not', () => {
  const token = nextToken(readPage(issues, { page_size: 1, kind: 'a' } as object), { sortValue: 1, id: 'x' })
  expect(readPage(issues, { page_size: 9, kind: 'a', page_token: token } as object)).toMatchObject({
    size: 9,
    after: { id: 'x' },
  })
  for (const other of [{ kind: 'b' }, {}, { kind: 'a', name: 'n' }]) {
    expect(() => readPage(issues, { ...other, page_token: token } as object)).toThrow('another query')
  }
})

test('a token of one list is refused by every other', async () => {
  await using app = await startApp()
  for (const name of ['a', 'b']) await app.request('POST', `/v1/products/${app.productId}/environments`, { name })
  const first = await app.request<Listed>('GET', `/v1/products/${app.productId}/environments?page_size=1`)
  expect(first.body.next_page_token).not.toBe('')
  for (const list of ['releases', 'components', 'requirements', 'tests', 'issues', 'coverage-gaps']) {
    const path = `/v1/products/${app.productId}/${list}?page_size=1&page_token=${first.body.next_page_token}`
    const reply = await app.request('GET', path)
    expect([list, reply.status, reasonOf(reply)]).toEqual([list, 400, 'PAGE_TOKEN_MISMATCH'])
  }
})

const ofAnOldVersion = Buffer.from('{"v":1,"sort_value":"a","id":"1","q":"Wl0hVZ0bIqhYxbJi"}').toString('base64url')

test.each(['x', 'bm90IGpzb24', ofAnOldVersion, '%'])('the broken token %s is refused', async (token) => {
  await using app = await startApp()
  const reply = await app.request('GET', `/v1/workspaces?page_token=${encodeURIComponent(token)}`)
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'PAGE_TOKEN_MISMATCH'])
})

/** Every list of these rooms: where it is read, how one more row is made, and what identifies a row. */
const lists: readonly {
  member: string
  path: (app: App) => Promise<string>
  add: (app: App, name: string) => Promise<unknown>
}[] = [
  {
    member: 'products',
    path: async (app) => `/v1/workspaces/${await workspaceId(app)}/products`,
    add: async (app, name) => app.request('POST', `/v1/workspaces/${await workspaceId(app)}/products`, { name }),
  },
  {
    member: 'environments',
    path: async (app) => `/v1/products/${app.productId}/environments`,
    add: (app, name) => app.request('POST', `/v1/products/${app.productId}/environments`, { name }),
  },
  {
    member: 'releases',
    path: async (app) => `/v1/products/${app.productId}/releases`,
    add: (app, name) => {
      const released_at = new Date(Date.UTC(2026, 0, 1 + (name.charCodeAt(0) % 7))).toISOString()
      const body = { version: name, environment: 'production', released_at }
      return app.request('POST', `/v1/products/${app.productId}/releases`, body)
    },
  },
  {
    member: 'components',
    path: async (app) => `/v1/products/${app.productId}/components`,
    add: (app, name) => {
      const body = { name, path_globs: ['**'], position: name.charCodeAt(0) % 5 }
      return app.request('POST', `/v1/products/${app.productId}/components`, body)
    },
  },
]

const short = fc.stringMatching(/^[a-z]{1,3}[0-9]{1,3}$/)
/** Equal for longer than a token can hold. */
const long = short.map((end) => `${'eine-sehr-lange-umgebung'.repeat(2)}-${end}`)
const names = fc.uniqueArray(fc.oneof(short, long), { minLength: 2, maxLength: 12 })

test.each(lists)('reading $member page by page never repeats or skips one while others are added', async (list) => {
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 4 }), fc.nat({ max: 12 }), async (all, size, split) => {
      await using app = await startApp()
      const [before, during] = [all.slice(0, split), all.slice(split)]
      for (const name of before) await list.add(app, name)
      const path = await list.path(app)
      const idsOf = async (query: string) => {
        const { body } = await app.request<Listed & Record<string, unknown>>('GET', `${path}?${query}`)
        return { ids: (body[list.member] as { id: string }[]).map(({ id }) => id), page: body }
      }
      const atStart = (await idsOf('page_size=200')).ids
      const seen: string[] = []
      let token = ''
      let pages = 0
      do {
        expect((pages += 1)).toBeLessThanOrEqual(30)
        const { ids, page } = await idsOf(`page_size=${size}&pagination.page_token=${token}`)
        expect(page.pagination.total_size).toBe((await idsOf('page_size=200')).ids.length)
        expect(page.pagination.next_page_token).toBe(page.next_page_token)
        seen.push(...ids)
        token = page.next_page_token
        expect(token.length).toBeLessThanOrEqual(60)
        const name = during.shift()
        if (name !== undefined) await list.add(app, name)
      } while (token !== '')
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.filter((id) => atStart.includes(id))).toEqual(atStart)
    }),
    { numRuns: 6 },
  )
})
