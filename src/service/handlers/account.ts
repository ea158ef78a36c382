import type * as z from 'zod'
import { Step, WorkspaceRole, type Onboarding } from '../../contract/products.ts'
import { audit } from '../workspace/audit.ts'
import { parseScopes } from '../rest/auth.ts'
import type { Call, Handlers } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { timestamp, timestampOrNull } from '../shared/times.ts'
import { readJson } from '../sql/json.ts'

type StepName = z.output<typeof Step>

/** Handlers of auth/me and onboarding; `version` is the one of this program. */
export function accountHandlers({ version }: { version: string }) {
  return {
    async getMe(_input, { db, principal }) {
      const user = await userOf(db.read, principal.userId)
      const token = await db.read
        .selectFrom('token')
        .selectAll()
        .where('id', '=', principal.tokenId)
        .executeTakeFirstOrThrow()
      return {
        user: {
          id: user.id,
          email: user.email,
          display_name: user.display_name,
          created_at: timestamp(user.created_at),
          workspaces: await membershipsOf(db.read, user.id),
        },
        token: {
          id: token.id,
          name: token.name,
          scopes: parseScopes(token.scopes),
          workspace_ids: [...principal.workspaceIds],
          created_at: timestamp(token.created_at),
          expires_at: timestampOrNull(token.expires_at),
        },
        onboarding: await onboardingOf(db.read, user, principal.workspaceIds),
        server: { name: 'tracegate', version, mode: 'embedded' as const, api_version: 'v1' },
      }
    },

    async updateOnboarding({ onboarding: change }, call) {
      return call.db.write(async (rows) => {
        const before = await userOf(rows, call.principal.userId)
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
        return { onboarding: await onboardingOf(rows, user, call.principal.workspaceIds) }
      })
    },
  } satisfies Handlers<'getMe' | 'updateOnboarding'>
}

type User = Awaited<ReturnType<typeof userOf>>

function userOf(rows: Rows, id: string) {
  return rows.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function membershipsOf(rows: Rows, userId: string) {
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

/** What the user said is done, and what the data show to be done. */
async function onboardingOf(
  rows: Rows,
  user: User,
  workspaceIds: Call['principal']['workspaceIds'],
): Promise<z.input<typeof Onboarding>> {
  const done = new Set([...storedSteps(user), ...(await stepsShownByData(rows, workspaceIds))])
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

async function stepsShownByData(rows: Rows, workspaceIds: readonly string[]): Promise<StepName[]> {
  const products = rows.selectFrom('product').select('id').where('workspace_id', 'in', workspaceIds)
  const product = await products.executeTakeFirst()
  const event = await rows
    .selectFrom('issue')
    .select('id')
    .where('product_id', 'in', products)
    .limit(1)
    .executeTakeFirst()
  const requirement = await rows
    .selectFrom('requirement')
    .select('id')
    .where('product_id', 'in', products)
    .limit(1)
    .executeTakeFirst()
  const run = await rows
    .selectFrom('test_run')
    .select('id')
    .where('product_id', 'in', products)
    .limit(1)
    .executeTakeFirst()
  const link = await rows
    .selectFrom('test_link')
    .select('test_id')
    .where('product_id', 'in', products)
    .limit(1)
    .executeTakeFirst()
  return [
    ...(requirement === undefined ? [] : ['ONBOARDING_STEP_ADD_REQUIREMENT' as const]),
    ...(run === undefined ? [] : ['ONBOARDING_STEP_INGEST_TESTS' as const]),
    ...(link === undefined ? [] : ['ONBOARDING_STEP_LINK_TEST' as const]),
    ...(product === undefined ? [] : ['ONBOARDING_STEP_CREATE_PRODUCT' as const]),
    ...(event === undefined ? [] : ['ONBOARDING_STEP_SEND_EVENT' as const]),
  ]
}
