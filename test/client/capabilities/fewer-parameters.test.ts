import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filtersByEndpoint } from '../../../src/client/capabilities/filters.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { refusal } from '../../upstream/reshapings/parameters.ts'
import { learner, openEveryList, readAll, type EveryList, type List, type Query } from './every-list.ts'

let every: EveryList
beforeAll(async () => {
  every = await openEveryList()
})
afterAll(() => every[Symbol.asyncDispose]())

/** Parameters that rows can be compared with, with the values of each. */
function filters({ endpoint, values }: List): [string, readonly unknown[]][] {
  const known = filtersByEndpoint.get(endpoint) ?? {}
  return Object.entries(values).filter(([name, each]) => Object.hasOwn(known, name) && each.length > 0)
}

/** The deployment refuses the parameters, and says which one or not. */
function refusing(send: Send, isNamed: boolean, names: readonly string[]): Send {
  return async (request) => {
    const field = names.find((name) => new URL(request.url).searchParams.has(name))
    return field === undefined ? await send(request) : refusal(isNamed ? field : undefined)
  }
}

const ways: Readonly<Record<string, (send: Send, names: readonly string[]) => Send>> = {
  ignores: (send, names) => reshaped(send, ...names.map((name) => `ignores:${name}`)),
  'refuses by name': (send, names) => refusing(send, true, names),
  refuses: (send, names) => refusing(send, false, names),
}

/** What is wrong when all pages of a deployment are read that lacks some of the parameters; undefined if nothing is. */
async function wrong(list: List, query: Query, send: Send) {
  const known = await readAll(every.app.api, list, query)
  const seen = await readAll(learner(every, send).api, list, query)
  const isSubset = (some: readonly unknown[], all: readonly unknown[]) => some.every((one) => all.includes(one))
  // A gap shows one of its components: rows may be missing.
  const mayMiss = list.name === 'listCoverageGaps' && 'component_id' in query
  const isSame = mayMiss ? isSubset(seen.ids, known.ids) : JSON.stringify(seen.ids) === JSON.stringify(known.ids)
  const isTrue = seen.notApplied.length === 0 ? isSame : isSubset(known.ids, seen.ids)
  const isTwice = new Set(seen.ids).size < seen.ids.length
  const isRight = isTrue && !isTwice && isSubset(seen.notApplied, Object.keys(query))
  return isRight ? undefined : { list: list.name, query, seen, known: known.ids }
}

test.each(Object.keys(ways))('a deployment that %s a parameter shows the same rows, or says so', async (way) => {
  for (const list of every.lists) {
    for (const [name, values] of filters(list)) {
      const send = ways[way]?.(every.app.service.direct, [name]) ?? every.app.service.direct
      for (const value of values.slice(0, way === 'ignores' ? 2 : 1))
        expect(await wrong(list, { [name]: value, page_size: 3 }, send)).toBeUndefined()
    }
  }
})

test('two parameters that are missing at once, and pages of other sizes, lose no row and show none twice', async () => {
  const pagings = ['smallPages', 'allRows', 'tokenOnTop', 'tokenInPagination', 'numericToken', 'noTotals', 'refuses']
  const asked = fc.constantFrom(...every.lists.filter((list) => filters(list).length > 1)).chain((list) =>
    fc.record({
      list: fc.constant(list),
      query: fc.shuffledSubarray(filters(list), { minLength: 2, maxLength: 2 }).chain((pair) => {
        const one = Object.fromEntries(pair.map(([name, values]) => [name, fc.constantFrom(...values)]))
        return fc.record(one)
      }),
      page_size: fc.integer({ min: 1, max: 6 }),
      way: fc.constantFrom(...Object.values(ways)),
      paging: fc.constantFrom(...pagings),
    }),
  )
  const property = fc.asyncProperty(asked, async ({ list, query, page_size, way, paging }) => {
    const send = reshaped(way(every.app.service.direct, Object.keys(query)), paging)
    expect(await wrong(list, { ...query, page_size }, send)).toBeUndefined()
  })
  await fc.assert(property, { numRuns: 100 })
})
