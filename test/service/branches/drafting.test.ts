import { expect, test } from 'vitest'
import { createRequirement, updateRequirement } from '../../../src/service/quality/requirements/requirement-store.ts'
import { draftOnBranch } from '../../../src/service/branches/overlay/write.ts'
import { requireOpenBranch } from '../../../src/service/branches/store/branches.ts'
import type { Call } from '../../../src/service/shared/context.ts'
import { startTree } from './branch-tree.ts'

test('many drafts are one write, and a decision is open until a drafted member is set again', async () => {
  await using app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', statement: 'At most 10 items.' })
  const branch = await tree.branch()
  await draft(app, branch, cart.id)
  const first = await tree.getBranch(branch)
  expect(first.branch).toMatchObject({ head_revision: 1, counts: { created: 30, modified: 1, needs_decision: 1 } })
  expect(first.changes.at(-1)).toMatchObject({ key: 'REQ-?30' })
  const decision = async () => (await tree.getBranch(branch)).changes.find(({ entity_id: id }) => id === cart.id)
  expect(await decision()).toMatchObject({ needs_decision: true, note: 'Says 20 where REQ-1 says 10.' })

  await tree.change(cart.id, { rationale: 'Not about the number.', branch_id: branch })
  expect(await decision()).toMatchObject({ needs_decision: true, fields: ['statement', 'rationale'] })
  await tree.change(cart.id, { statement: 'At most 20 items.', branch_id: branch })
  expect(await decision()).toMatchObject({ needs_decision: false, note: 'Says 20 where REQ-1 says 10.' })
  expect((await tree.getBranch(branch)).branch.counts.needs_decision).toBe(0)
})

async function draft(app: Awaited<ReturnType<typeof startTree>>, branchId: string, changedId: string) {
  const ids = Array.from({ length: 40 }, () => crypto.randomUUID())
  const workspaces = await app.db.read.selectFrom('workspace').select('id').execute()
  const call = {
    now: () => Date.now(),
    newId: () => ids.pop() ?? crypto.randomUUID(),
    actor: { type: 'ACTOR_TYPE_AGENT', id: 'a', display_name: 'Agent', user_id: '' },
    byAgent: true,
    via: '',
    principal: { workspaceIds: workspaces.map(({ id }) => id) },
  } as unknown as Call
  await app.db.write(async (rows, prepare) => {
    const found = await requireOpenBranch(rows, call.principal, branchId)
    await draftOnBranch({ rows, prepare, call }, found, async (drafting) => {
      const before = await rows
        .selectFrom('requirement')
        .selectAll()
        .where('id', '=', changedId)
        .executeTakeFirstOrThrow()
      await updateRequirement(rows, prepare, drafting.call, before, { statement: 'At most 20 items.' })
      drafting.say(changedId, { needsDecision: true, note: 'Says 20 where REQ-1 says 10.' })
      for (let i = 1; i <= 30; i += 1)
        await createRequirement(rows, prepare, drafting.call, found.product, { title: `Draft ${String(i)}` })
    })
  })
}
