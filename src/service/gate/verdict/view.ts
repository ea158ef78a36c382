import type * as z from 'zod'
import { VerdictStatus } from '../../../contract/quality-gate/policy.ts'
import type { Verdict } from '../../../contract/quality-gate/verdict.ts'
import { computeEtag } from '../../shared/etag.ts'
import { timestamp } from '../../shared/times.ts'
import type { Rows } from '../../sql/database.ts'
import { endingRisks, readEndedRisks } from '../risks/facts.ts'
import { viewRisk } from '../risks/stored.ts'
import { earlierVerdicts, newestVerdicts, type ScopeIds, type StoredBody, type StoredVerdict } from './store.ts'

type VerdictBody = z.input<typeof Verdict>

/** A scope, with the version of its release, which risks may be bound to. */
export type JudgedScope = ScopeIds & { version: string }

/** Verdicts that a verdict's history lists. */
const HISTORY = 10

interface Seen {
  scope: JudgedScope
  /** Epoch milliseconds. */
  now: number
  stale: boolean
  baseline?: { id: string } | undefined
}

interface Unstored extends Omit<Seen, 'stale' | 'scope'> {
  scope: JudgedScope & { branchId: string }
  digest: string
  /** Whether the request has a policy of its own. */
  isOverridden: boolean
}

/** The contract's verdict of a stored row, whose body may compare with another verdict than the previous one. */
export async function viewStored(
  rows: Rows,
  row: StoredVerdict,
  body: StoredBody,
  { scope, now, stale, baseline }: Seen,
): Promise<VerdictBody> {
  const [members, earlier] = await Promise.all([
    common(rows, { scope, now }, body),
    earlierVerdicts(rows, scope, row.seq, HISTORY),
  ])
  return {
    ...members,
    id: row.id,
    inputs_digest: row.inputs_digest,
    stale,
    baseline_id: baseline?.id ?? '',
    history: earlier.map(viewEarlier),
    computed_at: timestamp(row.computed_at),
    etag: computeEtag(row.id, 1),
  }
}

/** A verdict by a policy of the request, or on a branch, which is not stored. */
export async function viewEphemeral(
  rows: Rows,
  body: StoredBody,
  { scope, now, digest, baseline, isOverridden }: Unstored,
): Promise<VerdictBody> {
  const verdict = await common(rows, { scope, now }, body)
  const { status_reason: reason } = verdict
  return {
    ...verdict,
    id: '',
    status_reason: isOverridden ? `By the policy of this request, not the product's: ${reason}` : reason,
    scope: { ...verdict.scope, branch_id: scope.branchId, ephemeral: true },
    inputs_digest: digest,
    stale: false,
    baseline_id: baseline?.id ?? '',
    history: (await newestVerdicts(rows, scope, HISTORY)).map(viewEarlier),
    computed_at: timestamp(now),
    etag: computeEtag(digest, 1),
  }
}

/** An earlier verdict in a line of its scope's history. */
export function viewEarlier({ id, status, computed_at }: Pick<StoredVerdict, 'id' | 'status' | 'computed_at'>) {
  return { id, status: VerdictStatus.parse(status), computed_at: timestamp(computed_at) }
}

async function common(rows: Rows, { scope, now }: Pick<Seen, 'scope' | 'now'>, body: StoredBody) {
  const { productId, releaseId, environmentId, commitSha, gitBranch } = scope
  return {
    ...body,
    ...(await viewRisks(rows, scope, body, now)),
    product_id: String(productId),
    scope: {
      release_id: releaseId,
      environment_id: environmentId,
      branch_id: '',
      commit_sha: commitSha,
      git_branch: gitBranch,
      ephemeral: false,
    },
  }
}

async function readRisks(rows: Rows, ids: readonly string[]) {
  if (ids.length === 0) return []
  return rows.selectFrom('risk').selectAll().where('id', 'in', ids).orderBy('accepted_at').orderBy('id').execute()
}

/** The pending and active risks of a verdict as they are now, and what of them changes soon or has changed. */
async function viewRisks(rows: Rows, scope: JudgedScope, body: StoredBody, now: number) {
  const ids = [...body.pending_risk_ids, ...body.active_risk_ids]
  const since = body.previous === null ? now : Date.parse(body.previous.computed_at)
  const [risks, ended] = await Promise.all([
    readRisks(rows, ids),
    readEndedRisks(rows, { productId: scope.productId, scope, now, since }),
  ])
  const active = risks.filter(({ id }) => body.active_risk_ids.includes(id))
  return {
    risks: risks.map((risk) => viewRisk(risk, now)),
    risks_ending: endingRisks(active, now).map(({ id, expires_at }) => ({
      risk_id: id,
      expires_at: timestamp(expires_at),
    })),
    risks_ended: ended.map(({ id, state, endedAt }) => ({ risk_id: id, state, ended_at: timestamp(endedAt) })),
  }
}
