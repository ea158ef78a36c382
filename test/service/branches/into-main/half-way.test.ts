import { expect, test } from 'vitest'
import type { Actor } from '../../../../src/contract/base/common.ts'
import { branchHandlers } from '../../../../src/service/handlers/branches/branches.ts'
import type { Call } from '../../../../src/service/shared/context.ts'
import { systemPlatform } from '../../../../src/service/shared/platform.ts'
import type { Database, Prepare, Rows } from '../../../../src/service/sql/database.ts'
import { mainRows, startTree } from '../branch-tree.ts'

const person: typeof Actor._zod.input = {
  type: 'ACTOR_TYPE_USER',
  id: 'ada',
  display_name: 'Ada',
  user_id: 'ada',
}

class Broken extends Error {}

/** The database, in which the n-th write of a transaction fails. */
function failingAt(db: Database, nth: number): Database & { writes: number } {
  const failing = {
    ...db,
    writes: 0,
    write<T>(work: (rows: Rows, prepare: Prepare) => Promise<T>) {
      return db.write((rows, prepare) => work(watchRows(rows), watchPrepare(prepare)))
    },
  }
  const count = () => {
    failing.writes += 1
    if (failing.writes === nth) throw new Broken()
  }
  const watchRows = (rows: Rows): Rows => {
    const watched = rows.withPlugin({
      transformQuery({ node }) {
        if (node.kind !== 'SelectQueryNode') count()
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    })
    return Object.assign(watched, { dialect: rows.dialect })
  }
  const watchPrepare = (prepare: Prepare): Prepare => {
    const watched = (text: string) => {
      if (!/^\s*select/i.test(text)) count()
      return prepare(text)
    }
    return Object.assign(watched, { dialect: prepare.dialect, sent: prepare.sent })
  }
  return failing
}

test('a merge that fails at any of its writes leaves nothing of itself', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', statement: 'Sum.' })
  const old = await tree.requirement({ title: 'Old' })
  const branch = await tree.branch()
  await tree.change(cart.id, { statement: 'Sum in euros.', branch_id: branch })
  await tree.remove(old.id, branch)
  const draft = await tree.requirement({ title: 'Guests', branch_id: branch })
  const planned = await tree.test({ title: 'guest pays', branch_id: branch })
  const body = { requirement_id: draft.id, branch_id: branch }
  await app.request('POST', `/v1/tests/${planned.id}/links`, body)
  const workspaces = await app.db.read.selectFrom('workspace').select('id').execute()
  const state = async () => ({
    ...(await mainRows(app)),
    branches: await app.db.read.selectFrom('branch').selectAll().execute(),
    proposals: await app.db.read.selectFrom('link_proposal').selectAll().execute(),
    audits: await app.db.read.selectFrom('audit').selectAll().execute(),
  })
  const before = await state()
  const merge = (db: Database) => {
    const call: Call = {
      ...systemPlatform,
      db,
      symbolicator: undefined as never,
      principal: {
        userId: 'ada',
        displayName: 'Ada',
        tokenId: 'token',
        tokenName: 'tests',
        tokenKind: 'person',
        scopes: new Set(['read', 'write']),
        workspaceIds: workspaces.map(({ id }) => id),
      },
      actor: person,
      via: '',
      byAgent: false,
      endpoint: 'mergeBranch',
      origin: '',
      validateOnly: false,
    }
    return branchHandlers.mergeBranch({ id: branch, link_proposal_policy: 'LINK_PROPOSAL_POLICY_ALL' }, call)
  }
  let failures = 0
  for (let nth = 1; ; nth += 1) {
    const db = failingAt(app.db, nth)
    const failed = await merge(db).then(
      () => false,
      (thrown: unknown) => thrown instanceof Broken,
    )
    if (!failed) break
    failures += 1
    expect(await state()).toEqual(before)
  }
  expect(failures).toBeGreaterThan(30)
  const merged = await tree.list()
  expect(merged.map(({ key, statement }) => `${key} ${statement}`)).toEqual(['REQ-1 Sum in euros.', 'REQ-3 '])
})
