import { expect, test } from 'vitest'
import type { GateScope } from '../../../src/service/gate/scope.ts'
import { choosePolicy, readInputs } from '../../../src/service/gate/verdict/compute.ts'
import type { Rows } from '../../../src/service/sql/database.ts'
import { openForReading } from '../../../src/service/sql/open/index.ts'
import { startApp, type App } from '../../app.ts'
import { usesPostgres } from '../../postgres/databases.ts'
import { interruptible } from '../interruptible.ts'
import { openShop, type Identified, type Shop } from './shop.ts'

const asTool = { 'x-svc-via': 'mcp' }

/** After every third query is enough to hit what takes several; on a server each one is a message. */
const step = usesPostgres() ? 15 : 3

test('what is written between any two queries of a verdict shows in the next one', async () => {
  await using app = await startApp()
  const fresh = await openForReading(app.database)
  const shop = await openShop(app)
  const scopes = await scopesOf(app, shop)
  const { rows, interrupt } = interruptible(app.db.read)
  for (const [name, write] of Object.entries(await writesOf(app, shop))) {
    for (let query = 2, wasReached = true; wasReached; query += step) {
      await write(false)
      wasReached = await interrupt(query, {
        read: () => seen(rows, scopes),
        meanwhile: () => write(true),
      })
      const expected = await seen(fresh, scopes)
      expect({ name, query, seen: await seen(rows, scopes) }).toEqual({ name, query, seen: expected })
    }
  }
  await fresh.destroy()
}, 120_000)

const at = { release: '1.0.0', environment: 'production' }

function deploy(shop: Shop, released_at: string): Promise<unknown> {
  return shop.must('POST', `${shop.path}/releases`, { version: at.release, environment: at.environment, released_at })
}

/** Different scopes with results and errors in them. */
async function scopesOf(app: App, shop: Shop): Promise<GateScope[]> {
  await shop.requirement()
  await shop.report({ 'adds up [REQ-1]': 'passed' })
  for (const key of ['server', 'public'] as const) await shop.event(key, { fingerprint: [key], message: key, ...at })
  await deploy(shop, '2026-11-01T00:00:00Z')
  await shop.event('server', { message: 'old', release: '1.0.0', environment: 'qa' })
  const ofProduct = { productId: idOf(shop), branchId: '', commitSha: '', gitBranch: '', carried: undefined }
  const whole = { ...ofProduct, releaseId: '', version: '', environmentId: '', counting: { gitBranches: ['main', ''] } }
  const { id } = await app.db.read
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .select('release.id')
    .where('environment.name', '=', at.environment)
    .executeTakeFirstOrThrow()
  return [whole, { ...whole, releaseId: id, version: at.release }]
}

/** Writes that turn something on or off. */
async function writesOf({ db }: App, shop: Shop): Promise<Record<string, (isOn: boolean) => Promise<unknown>>> {
  const { requirements } = await shop.must<{ requirements: Identified[] }>('GET', `${shop.path}/requirements`)
  const { issues } = await shop.must<{ issues: Identified[] }>('GET', `${shop.path}/issues`)
  const { tests } = await shop.must<{ tests: Identified[] }>('GET', `${shop.path}/tests`)
  const [requirement, made] = [requirements[0]?.id ?? '', `/v1/tests/${tests[0]?.id ?? ''}`]
  let count = 0
  const event = (key: 'server' | 'public') =>
    shop.event(key, { fingerprint: [`new ${String((count += 1))}`], message: 'new', ...at })
  const setStatus = (nr: number, change: object) =>
    shop.must('POST', `/v1/issues/${issues[nr]?.id ?? ''}:setStatus`, change, asTool)
  const environment = (change: { kind: string } | { deleted_at: number | null }) =>
    db.write(async (rows) =>
      rows
        .updateTable('environment')
        .set(change)
        .where('product_id', '=', idOf(shop))
        .where('name', '=', at.environment)
        .execute(),
    )
  return {
    'the kind of an environment': (isOn) =>
      environment({ kind: isOn ? 'ENVIRONMENT_KIND_TEST' : 'ENVIRONMENT_KIND_PRODUCTION' }),
    'that it is deleted': (isOn) => environment({ deleted_at: isOn ? 1 : null }),
    'the status of an issue': (isOn) => setStatus(0, { status: isOn ? 'resolved' : 'unresolved' }),
    'its fix': (isOn) =>
      setStatus(1, isOn ? { status: 'resolved', fixed_in: { release: '1.0.0' } } : { status: 'unresolved' }),
    'an issue': () => event('server'),
    'an issue of a stranger': () => event('public'),
    'when a release was released': (isOn) => deploy(shop, isOn ? '2026-10-01T00:00:00Z' : '2026-11-01T00:00:00Z'),
    'a priority': (isOn) =>
      shop.must('PUT', `/v1/requirements/${requirement}`, { priority: isOn ? 'LOW' : 'CRITICAL' }, asTool),
    'a link': (isOn) =>
      isOn
        ? shop.send('DELETE', `${made}/links/${requirement}`, undefined, asTool)
        : shop.send('POST', `${made}/links`, { requirement_id: requirement }),
    'a result': (isOn) =>
      shop.report({ 'adds up [REQ-1]': isOn ? 'failed' : 'passed' }, { run_key: `run ${String((count += 1))}` }),
  }
}

function idOf({ path }: Shop): number {
  return Number(path.split('/').at(-1))
}

const now = Date.now()

async function seen(rows: Rows, scopes: readonly GateScope[]) {
  const inputs = []
  for (const scope of scopes) {
    const product = await rows
      .selectFrom('product')
      .select('gate_policy')
      .where('id', '=', scope.productId)
      .executeTakeFirstOrThrow()
    const { facts, digest } = await readInputs(rows, { scope, policy: choosePolicy(product), now })
    inputs.push({ facts, digest })
  }
  return inputs
}
