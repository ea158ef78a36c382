import type * as z from 'zod'
import { scopes, type Scope } from '../../contract/base/endpoint.ts'
import { Step, WorkspaceRole, type Onboarding } from '../../contract/products.ts'
import type { Call, Principal, Writing } from '../shared/context.ts'
import { timestamp, timestampOrNull } from '../shared/times.ts'
import type { Rows } from '../sql/database.ts'
import { readJson, readTexts } from '../sql/json.ts'
import { audit } from './audit.ts'

type StepName = z.output<typeof Step>
type User = Awaited<ReturnType<typeof readUser>>

/** The caller's user with memberships, its token and its onboarding, as the contract shows them. */
export async function readAccount(rows: Rows, principal: Principal) {
  // A server answers them at the same time.
  const [user, token, workspaces, shown] = await Promise.all([
    readUser(rows, principal.userId),
    rows.selectFrom('token').selectAll().where('id', '=', principal.tokenId).executeTakeFirstOrThrow(),
    readMemberships(rows, principal.userId),
    stepsShownByData(rows, principal.workspaceIds),
  ])
  return {
    user: {
      id: user.id,
      email: user.email,
      display_name: user.display_name,
      created_at: timestamp(user.created_at),
      workspaces,
    },
    token: {
      id: token.id,
      name: token.name,
      kind: principal.tokenKind,
      scopes: parseScopes(token.scopes),
      workspace_ids: [...principal.workspaceIds],
      created_at: timestamp(token.created_at),
      expires_at: timestampOrNull(token.expires_at),
    },
    onboarding: viewOnboarding(user, shown),
  }
}

/** Marks onboarding steps as done, or dismisses the onboarding, inside the caller's transaction. */
export async function changeOnboarding(
  rows: Rows,
  call: Writing & Pick<Call, 'principal'>,
  change: { completed_steps?: readonly StepName[] | undefined; dismissed?: boolean | undefined },
): Promise<z.input<typeof Onboarding>> {
  const before = await readUser(rows, call.principal.userId)
  const steps = new Set([...storedSteps(before), ...(change.completed_steps ?? [])])
  const user = {
    ...before,
    completed_steps: JSON.stringify([...steps]),
    onboarding_dismissed: Number(change.dismissed ?? before.onboarding_dismissed === 1),
    onboarding_updated_at: call.now(),
  }
  const { completed_steps, onboarding_dismissed, onboarding_updated_at } = user
  await rows
    .updateTable('user')
    .set({ completed_steps, onboarding_dismissed, onboarding_updated_at })
    .where('id', '=', user.id)
    .execute()
  await audit(rows, call, { verb: 'update', resourceType: 'user', resourceId: user.id, before, after: user })
  return viewOnboarding(user, await stepsShownByData(rows, call.principal.workspaceIds))
}

/** Scopes of the stored JSON list; names that this version does not know are left out. */
export function parseScopes(stored: string): Scope[] {
  const names = readTexts(stored)
  return scopes.filter((scope) => names.includes(scope))
}

function readUser(rows: Rows, id: string) {
  return rows.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function readMemberships(rows: Rows, userId: string) {
  const memberships = await rows
    .selectFrom('workspace_member')
    .innerJoin('workspace', 'workspace.id', 'workspace_member.workspace_id')
    .select(['workspace.id', 'workspace.slug', 'workspace.name', 'workspace_member.role'])
    .where('workspace_member.user_id', '=', userId)
    .orderBy('workspace.name')
    .orderBy('workspace.id')
    .execute()
  return memberships.map(({ role, ...workspace }) => ({ ...workspace, role: WorkspaceRole.parse(role) }))
}

/** Steps count as completed when the user marked them or the data show them. */
function viewOnboarding(user: User, shown: readonly StepName[]): z.input<typeof Onboarding> {
  const done = new Set([...storedSteps(user), ...shown])
  return {
    completed_steps: Step.options.filter((step) => done.has(step)),
    pending_steps: Step.options.filter((step) => !done.has(step)),
    dismissed: user.onboarding_dismissed === 1,
    updated_at: timestampOrNull(user.onboarding_updated_at),
  }
}

function storedSteps(user: User): StepName[] {
  return readJson(Step.array(), user.completed_steps)
}

/** Steps with a table whose rows in a product show them done. */
const stepTables = [
  { step: 'ONBOARDING_STEP_ADD_REQUIREMENT', table: 'requirement' },
  { step: 'ONBOARDING_STEP_INGEST_TESTS', table: 'test_run' },
  { step: 'ONBOARDING_STEP_LINK_TEST', table: 'test_link' },
  { step: 'ONBOARDING_STEP_SEND_EVENT', table: 'issue' },
  { step: 'ONBOARDING_STEP_COMPUTE_GATE', table: 'verdict' },
] as const

async function stepsShownByData(rows: Rows, workspaceIds: readonly string[]): Promise<StepName[]> {
  const products = rows.selectFrom('product').select('id').where('workspace_id', 'in', workspaceIds)
  const exists = await rows
    .selectNoFrom((eb) => [
      eb.exists(products).as('ONBOARDING_STEP_CREATE_PRODUCT' satisfies StepName),
      ...stepTables.map(({ step, table }) =>
        eb.exists(eb.selectFrom(table).select('product_id').where('product_id', 'in', products)).as(step),
      ),
    ])
    .executeTakeFirstOrThrow()
  const shown = new Set(Object.entries(exists).flatMap(([step, isShown]) => (isShown ? [step] : [])))
  return Step.options.filter((step) => shown.has(step))
}
