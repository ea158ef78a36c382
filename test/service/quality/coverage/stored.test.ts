import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coverageFor, countCoverage } from '../../../../src/service/quality/coverage/read.ts'
import { refreshCoverage, refreshStale, requirementsOfTests } from '../../../../src/service/quality/coverage/refresh.ts'
import type { Database } from '../../../../src/service/sql/database.ts'
import { startApp } from '../../../app.ts'
import { tries } from '../../../property-tries.ts'

const hour = 3_600_000
const now = 2_000_000_000_000

type Row = Record<string, string | number | null>

async function insert(db: Database, table: string, rows: readonly Row[]) {
  await db.batch(async (prepare) => {
    for (const row of rows) {
      const names = Object.keys(row)
      const places = names.map(() => '?').join(', ')
      await prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(...Object.values(row))
    }
  })
}

const requirement = (product_id: number, number: number, facts: Row = {}): Row => ({
  id: `r${String(number)}`,
  product_id,
  number,
  parent_id: '',
  position: number,
  tree_path: String(number),
  kind: 'REQUIREMENT_KIND_FUNCTIONAL',
  status: 'REQUIREMENT_STATUS_APPROVED',
  title: 'A rule',
  priority: 'PRIORITY_MEDIUM',
  risk: 'RISK_LEVEL_HIGH',
  source: '{}',
  content_hash: '',
  created_by: '{}',
  updated_by: '{}',
  created_at: 0,
  updated_at: 0,
  ...facts,
})

const testRow = (product_id: number, number: number, facts: Row = {}): Row => ({
  id: `t${String(number)}`,
  product_id,
  number,
  kind: 'TEST_KIND_CASE',
  title: 'A case',
  level: 'TEST_LEVEL_UNIT',
  status: 'TEST_STATUS_ACTIVE',
  automation: 'AUTOMATION_STATUS_AUTOMATED',
  created_by: '{}',
  created_at: 0,
  updated_at: 0,
  ...facts,
})

const link = (product_id: number, test_id: string, requirement_id: string, facts: Row = {}): Row => ({
  product_id,
  test_id,
  requirement_id,
  role: 'LINK_ROLE_VERIFIES',
  state: 'LINK_STATE_ACTIVE',
  requirement_version: 1,
  origin: 'LINK_ORIGIN_MANUAL',
  created_by: '{}',
  created_at: 0,
  ...facts,
})

const result = (product_id: number, id: string, test_id: string, facts: Row = {}): Row => ({
  id,
  product_id,
  test_id,
  run_id: `run ${id}`,
  status: 'RESULT_STATUS_PASSED',
  attempts: 1,
  duration_ms: 1,
  executed_at: now,
  reported: '[]',
  ...facts,
})

const run = (product_id: number, id: string): Row => ({ id: `run ${id}`, product_id, run_key: id, created_at: 0 })

async function startProduct() {
  const app = await startApp()
  const id = Number(app.productId)
  const product = await app.db.read.selectFrom('product').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const refresh = (ids: readonly string[], at = now) =>
    app.db.write((rows, prepare) => refreshCoverage(rows, prepare, { productId: id, now: at }, ids))
  return { app, db: app.db, id, product, refresh, [Symbol.asyncDispose]: () => app.close() }
}

/** A small product: a tree of requirements, suites with cases, links and results in two environments. */
const shape = fc.record({
  parents: fc.array(fc.nat({ max: 6 }), { minLength: 6, maxLength: 6 }),
  groups: fc.subarray([0, 1, 2]),
  deprecated: fc.subarray([1, 3, 5]),
  suites: fc.array(fc.nat({ max: 3 }), { minLength: 5, maxLength: 5 }),
  quarantined: fc.subarray([3, 5, 7], { maxLength: 1 }),
  links: fc.uniqueArray(
    fc.record({
      from: fc.nat({ max: 7 }),
      to: fc.integer({ min: 0, max: 5 }),
      suspect: fc.boolean(),
      whole: fc.boolean(),
    }),
    { maxLength: 9, selector: ({ from, to }) => `${String(from)} ${String(to)}` },
  ),
  results: fc.array(
    fc.record({
      of: fc.integer({ min: 3, max: 7 }),
      status: fc.constantFrom('PASSED', 'PASSED', 'PASSED', 'FLAKY', 'FAILED', 'SKIPPED'),
      hoursAgo: fc.constantFrom(0, 1, 335, 337),
      environment: fc.constantFrom('', 'ci'),
    }),
    { maxLength: 12 },
  ),
})
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

async function build(
  db: Database,
  product: number,
  { parents, groups, deprecated, suites, quarantined, links, results }: Shape,
) {
  await db.batch(async (prepare) => {
    for (const table of ['test_result', 'test_run', 'test_link', 'requirement_coverage', 'test', 'requirement'])
      await prepare(`DELETE FROM ${table}`).run()
  })
  await insert(
    db,
    'requirement',
    parents.map((above, index) =>
      requirement(product, index, {
        // An earlier one, or none.
        parent_id: above < index ? `r${String(above)}` : '',
        ...(groups.includes(index) && { kind: 'REQUIREMENT_KIND_GROUP' }),
        ...(deprecated.includes(index) && { status: 'REQUIREMENT_STATUS_DEPRECATED' }),
        acceptance_criteria: index % 2 === 0 ? '[]' : '[{"id":"a"},{"id":"b"}]',
      }),
    ),
  )
  // Tests 0 to 2 are suites, one inside the other; 3 to 7 are cases.
  await insert(
    db,
    'test',
    [0, 1, 2].map((number) =>
      testRow(product, number, { kind: 'TEST_KIND_SUITE', parent_id: number === 0 ? '' : `t${String(number - 1)}` }),
    ),
  )
  await insert(
    db,
    'test',
    suites.map((suite, index) =>
      testRow(product, index + 3, {
        parent_id: suite === 3 ? '' : `t${String(suite)}`,
        quarantined_until: quarantined.includes(index + 3) ? now + hour : null,
      }),
    ),
  )
  await insert(
    db,
    'test_link',
    links
      .filter(({ to }) => !groups.includes(to))
      .map(({ from, to, suspect, whole }) =>
        link(product, `t${String(from)}`, `r${String(to)}`, {
          state: suspect ? 'LINK_STATE_SUSPECT' : 'LINK_STATE_ACTIVE',
          role: whole ? 'LINK_ROLE_VERIFIES' : 'LINK_ROLE_PARTIALLY_VERIFIES',
          criterion_ids: whole ? '[]' : '["a"]',
        }),
      ),
  )
  await insert(
    db,
    'test_run',
    results.map((_, index) => run(product, String(index))),
  )
  await insert(
    db,
    'test_result',
    results.map(({ of, status, hoursAgo, environment }, index) =>
      result(product, String(index).padStart(2, '0'), `t${String(of)}`, {
        run_id: `run ${String(index)}`,
        status: `RESULT_STATUS_${status}`,
        executed_at: now - hoursAgo * hour,
        environment_id: environment,
      }),
    ),
  )
  await db.batch(async (prepare) => {
    await prepare(
      `UPDATE test SET last_result_id = coalesce((SELECT id FROM test_result WHERE test_id = test.id
         ORDER BY executed_at DESC, id DESC LIMIT 1), '')`,
    ).run()
  })
}

test('stored coverage equals coverage computed from scratch, after every edit', async () => {
  await using room = await startProduct()
  const { db, id, product, refresh } = room
  const ids = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5']
  /** Computed from the links: no result is bound to this release, and every result to none. */
  const computed = () => coverageFor(db.read, product, ids, now, { releaseIds: [''] })
  const stored = () => coverageFor(db.read, product, ids, now)

  await fc.assert(
    fc.asyncProperty(shape, fc.nat({ max: 7 }), async (generated, edited) => {
      await build(db, id, generated)
      await refresh(ids)
      expect(await stored()).toEqual(await computed())
      expect(await countCoverage(db.read, product, now)).toEqual(
        await countCoverage(db.read, product, now, { releaseIds: [''] }),
      )

      const testId = `t${String(edited)}`
      const affected = await db.write(async (_rows, prepare) => {
        const before = await requirementsOfTests(prepare, [testId])
        await prepare("UPDATE test SET status = 'TEST_STATUS_DEPRECATED', parent_id = '' WHERE id = ?").run(testId)
        return [...before, ...(await requirementsOfTests(prepare, [testId]))]
      })
      await refresh(affected)
      expect(await stored()).toEqual(await computed())

      const requirementId = ids[edited % ids.length]!
      await db.batch((prepare) =>
        prepare('UPDATE requirement SET deleted_at = 1 WHERE id = ? OR parent_id = ?').run(
          requirementId,
          requirementId,
        ),
      )
      await refresh(ids)
      expect(await stored()).toEqual(await computed())
    }),
    { numRuns: tries(60) },
  )
})

test('results of another environment do not count in a scoped query', async () => {
  await using room = await startProduct()
  const { db, id, product, refresh } = room
  await insert(db, 'requirement', [requirement(id, 1)])
  await insert(db, 'test', [testRow(id, 1, { last_result_id: 'a' })])
  await insert(db, 'test_link', [link(id, 't1', 'r1')])
  await insert(db, 'test_run', [run(id, 'a')])
  await insert(db, 'test_result', [result(id, 'a', 't1', { environment_id: 'ci' })])
  await refresh(['r1'])

  expect((await coverageFor(db.read, product, ['r1'], now)).get('r1')?.state).toBe('verified')
  expect((await coverageFor(db.read, product, ['r1'], now, { environmentId: 'ci' })).get('r1')?.state).toBe('verified')
  const elsewhere = await coverageFor(db.read, product, ['r1'], now, { environmentId: 'staging' })
  expect(elsewhere.get('r1')?.state).toBe('not_run')
})

test('a result that becomes too old reopens its requirement without any write in between', async () => {
  await using room = await startProduct()
  const { db, id, product, refresh } = room
  await insert(db, 'requirement', [requirement(id, 1)])
  await insert(db, 'test', [testRow(id, 1, { last_result_id: 'a' })])
  await insert(db, 'test_link', [link(id, 't1', 'r1')])
  await insert(db, 'test_run', [run(id, 'a')])
  await insert(db, 'test_result', [result(id, 'a', 't1')])
  await refresh(['r1'])

  const later = now + 336 * hour
  await refreshStale(db, id, later)
  expect((await coverageFor(db.read, product, ['r1'], later)).get('r1')?.state).toBe('verified')
  await refreshStale(db, id, later + 1)
  expect((await coverageFor(db.read, product, ['r1'], later + 1)).get('r1')?.state).toBe('not_run')
})
