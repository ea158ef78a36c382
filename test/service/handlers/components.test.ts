import { expect, test } from 'vitest'
import { eventually } from '../../serve.ts'
import { startApp, type App } from '../../app.ts'
import { existingIdOf, reasonOf, type Failure } from '../people.ts'

interface One {
  component: { id: string; slug: string; position: number }
  overlaps: { component_id: string; glob: string }[]
}
interface Many {
  components: { id: string; name: string; stats: { unresolved_issues: number; events_7d: number } }[]
}

const path = (app: App) => `/v1/products/${app.productId}/components`
const create = (app: App, body: object) => app.request<One>('POST', path(app), body)
const list = async (app: App, query = '') => (await app.request<Many>('GET', `${path(app)}${query}`)).body.components
const namesOf = async (app: App, query: string) => (await list(app, query)).map(({ name }) => name)

test('the owner of a path is the component with the most specific glob that does not exclude it', async () => {
  await using app = await startApp()
  await create(app, { name: 'All', path_globs: ['src/**'] })
  await create(app, { name: 'Cart', path_globs: ['src/cart/**'], exclude_globs: ['**/*.generated.ts'] })
  expect(await namesOf(app, '?path=src/cart/total.ts')).toEqual(['Cart'])
  expect(await namesOf(app, '?path=./src/cart/x.generated.ts')).toEqual(['All'])
  expect(await namesOf(app, '?path=/src/search.ts')).toEqual(['All'])
  expect(await namesOf(app, '?path=README.md')).toEqual([])
})

test('events go along with an issue that gets another component', async () => {
  await using app = await startApp()
  await create(app, { name: 'Source', path_globs: ['src/**'] })
  await app.ingest({}, {})
  await create(app, { name: 'Cart', path_globs: ['src/cart/**'] })
  const events = await eventually('the attribution', async () => {
    const all = await list(app)
    const counts = Object.fromEntries(all.map(({ name, stats }) => [name, stats.events_7d]))
    return counts['Cart'] === undefined || counts['Cart'] === 0 ? undefined : counts
  })
  expect(events).toEqual({ Source: 0, Cart: 2 })
})

test('a new component takes over the unresolved issues of its files, also those that were there before', async () => {
  await using app = await startApp()
  await app.ingest({})
  const { body } = await create(app, { name: 'Cart', path_globs: ['src/cart/**'], validate_only: true })
  expect(body.component.slug).toBe('cart')
  const made = await create(app, { name: 'Cart', path_globs: ['src/cart/**'] })
  const [component] = await eventually('the attribution', async () => {
    const all = await list(app)
    return all[0]?.stats.unresolved_issues === 1 ? all : undefined
  })
  expect(component).toMatchObject({ id: made.body.component.id, stats: { unresolved_issues: 1, events_7d: 1 } })
  const issues = await app.request('GET', `/v1/products/${app.productId}/issues?component_id=${component?.id}`)
  expect(issues.body).toMatchObject({ issues: [{ component: { id: component?.id, key: 'cart', title: 'Cart' } }] })
})

test('globs that another component claims too are told', async () => {
  await using app = await startApp()
  const first = await create(app, { name: 'Web', path_globs: ['src/web/**', 'docs/**'] })
  expect(first.body.overlaps).toEqual([])
  const second = await create(app, { name: 'Cart', path_globs: ['src/web/cart/**'] })
  expect(second.body.overlaps).toEqual([{ component_id: first.body.component.id, glob: 'src/web/**' }])
})

test('a glob that cannot be used is refused by its place', async () => {
  await using app = await startApp()
  const reply = await app.request<Failure>('POST', path(app), {
    name: 'Cart',
    path_globs: ['src/**', '../x'],
    exclude_globs: ['[a'],
  })
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'GLOB_INVALID'])
  expect(reply.body.details[1]?.field_violations?.map(({ field }) => field)).toEqual([
    'path_globs.1',
    'exclude_globs.0',
  ])
  expect((await app.request('POST', path(app), { name: 'Cart', path_globs: [] })).status).toBe(400)
})

test('a name that gives a taken slug is refused with the one that has it; a parent has to exist', async () => {
  await using app = await startApp()
  const { body } = await create(app, { name: 'Cart & Pricing', path_globs: ['a/**'] })
  const reply = await create(app, { name: 'cart pricing', path_globs: ['b/**'] })
  expect(reply.status).toBe(409)
  expect(existingIdOf(reply)).toBe(body.component.id)
  const child = { name: 'Child', path_globs: ['c/**'], parent_id: body.component.id }
  expect((await create(app, child)).status).toBe(200)
  expect((await create(app, { ...child, name: 'Orphan', parent_id: 'nope' })).status).toBe(404)
})

test('a position has a limit', async () => {
  await using app = await startApp()
  const placed = (position: number) => create(app, { name: 'Cart', path_globs: ['a/**'], position })
  expect((await placed(1_000_000_001)).status).toBe(400)
  expect((await placed(1_000_000_000)).body.component.position).toBe(1_000_000_000)
})

test('components keep what they were given and are found by text, whatever it contains', async () => {
  await using app = await startApp()
  const given = {
    name: '100% Cart_x',
    path_globs: ['src/**'],
    owners: [{ kind: 'team', ref: 'payments' }],
    criticality: 'critical',
    tags: ['web'],
    description: 'Total of the basket',
  }
  await create(app, given)
  await create(app, { name: 'Other', path_globs: ['lib/**'] })
  expect(await list(app, '?q=BASKET')).toMatchObject([
    {
      ...given,
      owners: [{ kind: 'OWNER_KIND_TEAM', ref: 'payments' }],
      criticality: 'RISK_LEVEL_CRITICAL',
      position: 0,
    },
  ])
  expect(await namesOf(app, '?q=0%25')).toEqual(['100% Cart_x'])
  expect(await namesOf(app, '?q=t_x')).toEqual(['100% Cart_x'])
  expect(await namesOf(app, '?q=e_')).toEqual([])
})
