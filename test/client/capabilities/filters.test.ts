import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { learner, openEveryList, readRows, type EveryList, type List, type Query } from './every-list.ts'

let every: EveryList
beforeAll(async () => {
  every = await openEveryList()
})
afterAll(() => every[Symbol.asyncDispose]())

/** What a client that learns sees and takes for missing, and what one that knows sees. */
async function views(list: List, query: Query) {
  const { api, capabilities } = learner(every)
  const [seen, known] = [await readRows(api, list, query), await readRows(every.app.api, list, query)]
  const { parameters = {} } = capabilities.learned()[list.endpoint.path] ?? {}
  const doubted = Object.entries(parameters).filter(([, state]) => state !== 'accepted' && state !== 'applied')
  const about = { list: list.name, query }
  return { seen: { ...about, ...seen, doubted }, known: { ...about, ...known, doubted: [] as typeof doubted } }
}

test('no parameter of the service is taken for one that it ignores or refuses', async () => {
  for (const list of every.lists) {
    for (const [parameter, values] of Object.entries(list.values)) {
      let rows = 0
      for (const value of values) {
        const { seen, known } = await views(list, { [parameter]: value, page_size: 3 })
        expect(seen).toEqual(known)
        rows += known.ids.length
      }
      const isTried = rows > 0 || values.length === 0
      expect.soft(isTried, `a value of ${parameter} finds rows of ${list.name}`).toBe(true)
    }
  }
})

test('nor is one of several at once', async () => {
  const asked = fc.constantFrom(...every.lists).chain((list) => {
    const values = Object.entries(list.values).filter(([, each]) => each.length > 0)
    const one = Object.fromEntries(values.map(([name, each]) => [name, fc.constantFrom(...each)]))
    const query = fc.record({ ...one, page_size: fc.integer({ min: 1, max: 4 }) }, { requiredKeys: [] })
    return fc.tuple(fc.constant(list), query)
  })
  const property = fc.asyncProperty(asked, async ([list, query]) => {
    const { seen, known } = await views(list, query)
    expect(seen).toEqual(known)
  })
  await fc.assert(property, { numRuns: 150 })
})
