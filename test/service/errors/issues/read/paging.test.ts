import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { IssueSort } from '../../../../../src/service/errors/issues/read/list/conditions.ts'
import { openRig, type Rig } from '../rig.ts'
import { tries } from '../../../../property-tries.ts'

/** What happens between two pages: a crash of some kind at some time, or a status that changes. */
const Arrival = fc.record({ kind: fc.integer({ min: 0, max: 11 }), ago: fc.integer({ min: 0, max: 600_000 }) })

const Walk = fc.record({
  sort: fc.constantFrom<IssueSort>('last_seen', 'first_seen', 'times_seen'),
  pageSize: fc.integer({ min: 1, max: 4 }),
  before: fc.array(Arrival, { minLength: 1, maxLength: 24 }),
  between: fc.array(fc.array(Arrival, { maxLength: 6 }), { minLength: 1, maxLength: 14 }),
})

test('a walk through the pages meets every issue of its beginning once and in order, whatever arrives meanwhile', async () => {
  await using rig = await openRig()
  let products = 0
  await fc.assert(
    fc.asyncProperty(Walk, async ({ sort, pageSize, before, between }) => {
      const productId = await rig.newProduct(`P${++products}`)
      const arrive = async (arrivals: typeof before) => {
        rig.clock.now += 1000
        await Promise.all(
          arrivals.map(({ kind, ago }) => rig.store.append(productId, rig.crash({ kind: `kind${kind}`, ago }))),
        )
      }
      await arrive(before)
      const expected = await wholeList(rig, productId, sort)
      const met: string[] = []
      let token = ''
      let page = 0
      do {
        const input = { product_id: String(productId), sort, page_size: pageSize, page_token: token }
        const answer = await rig.handlers.listIssues(input, rig.call)
        met.push(...answer.issues.map(({ id }) => id))
        token = answer.next_page_token
        expect(answer.issues.length).toBeLessThanOrEqual(pageSize)
        await arrive(between[page++ % between.length] ?? [])
      } while (token !== '')
      expect(met).toEqual(expected)
    }),
    { numRuns: tries(120) },
  )
})

async function wholeList(rig: Rig, productId: number, sort: IssueSort): Promise<string[]> {
  const issues = await rig.db.read.selectFrom('issue').selectAll().where('product_id', '=', productId).execute()
  const ordered = issues.toSorted((left, right) => right[sort] - left[sort] || (left.id < right.id ? 1 : -1))
  return ordered.map(({ id }) => id)
}

test('events that arrive while somebody pages through the occurrences repeat none and skip none', async () => {
  await using rig = await openRig()
  for (let ago = 0; ago < 10; ago += 1) await rig.append({ ago: ago * 1000 })
  const [issue] = await rig.issues()
  const before = await rig.db.read.selectFrom('occurrence').select('id').orderBy('timestamp', 'desc').execute()
  const met: string[] = []
  let token = ''
  do {
    const input = { id: issue!.id, page_size: 3, page_token: token }
    const answer = await rig.handlers.listIssueEvents(input, rig.call)
    met.push(...answer.events.map(({ id }) => id))
    token = answer.next_page_token
    rig.clock.now += 1000
    await rig.append({})
  } while (token !== '')
  expect(met).toEqual(before.map(({ id }) => id))
})

test('a token of another query is refused', async () => {
  await using rig = await openRig()
  for (const kind of ['a', 'b', 'c']) await rig.append({ kind })
  const input = { product_id: rig.product_id, page_size: 1 }
  const { next_page_token: token } = await rig.handlers.listIssues(input, rig.call)
  const other = rig.handlers.listIssues({ ...input, page_token: token, status: 'ignored' }, rig.call)
  await expect(other).rejects.toMatchObject({ reason: 'PAGE_TOKEN_MISMATCH' })
})
