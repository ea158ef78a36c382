import { StatementSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { REQUIREMENT_TABLES, readLinkedRequirements } from '../../../src/service/gate/read/kept-requirements.ts'
import { readTests, TEST_TABLES } from '../../../src/service/gate/read/kept-tests.ts'
import { choosePolicy } from '../../../src/service/gate/verdict/compute.ts'
import { openForReading } from '../../../src/service/sql/open/index.ts'
import { startApp } from '../../app.ts'
import { openShop } from '../gate/shop.ts'

/** Runs the work and resolves to the names after FROM and JOIN in the statements that ran, without those of WITH. */
async function tablesReadBy(work: () => Promise<unknown>): Promise<Set<string>> {
  const spy = vi.spyOn(StatementSync.prototype, 'all')
  await work()
  const statements = (spy.mock.contexts as StatementSync[]).map(({ sourceSQL }) => sourceSQL)
  spy.mockRestore()
  const names = (pattern: RegExp) =>
    new Set(statements.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name ?? '')))
  return names(/\b(?:FROM|JOIN)\s+"?(\w+)/gi).difference(names(/\bWITH\s+(?:RECURSIVE\s+)?(\w+)/gi))
}

test('requirements and tests of the gate are read from the tables whose commits end what is remembered of them', async () => {
  await using app = await startApp()
  const shop = await openShop(app)
  await shop.link(await shop.test('adds up'), await shop.requirement())
  await shop.report({ 'adds up': 'passed', 'comes and goes': 'flaky' })
  const rows = await openForReading(app.database)
  onTestFinished(() => rows.destroy())
  const scope = { productId: Number(shop.path.split('/').at(-1)), branchId: '', commitSha: '', gitBranch: '' }
  const counting = { gitBranches: ['main', ''] }
  const whole = { ...scope, releaseId: '', version: '', environmentId: '', counting, carried: { runIds: ['one'] } }
  const product = await rows
    .selectFrom('product')
    .select('gate_policy')
    .where('id', '=', scope.productId)
    .executeTakeFirstOrThrow()
  const policy = choosePolicy(product)
  const query = { scope: whole, counting, carried: whole.carried, policy, now: Date.now(), maxAgeMs: 0 }
  const { linked } = await readLinkedRequirements(rows, query)
  // Every event writes the rows of releases and environments, and of them only names are read, which decide nothing.
  expect(await tablesReadBy(() => readLinkedRequirements(rows, query))).toEqual(
    new Set([...REQUIREMENT_TABLES, 'release', 'environment']),
  )
  expect(await tablesReadBy(() => readTests(rows, query, linked))).toEqual(new Set(TEST_TABLES))
})
