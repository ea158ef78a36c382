import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isNotOffered, notOffered } from '../../../src/mcp/resolve/offered.ts'
import type { Product, Requirement } from '../../../src/mcp/resolve/types.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { keyOrId } from '../columns.ts'
import { failureWords, ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'
import { readForWrite } from './requirement-in-full.ts'

export const outcomes = ['approved', 'would_approve', 'already', 'refused', 'unknown', 'failed'] as const

/** A requirement to approve, and what became of it. */
export interface Approval {
  /** Its key, else its id. */
  key: string
  /** As it was read, or as the service returned it after the change. */
  requirement: Requirement
  from: Requirement['status']
  outcome: (typeof outcomes)[number]
  /** The reply did not say what became of it, but a read after it did. */
  isReadBack?: boolean
  error?: string
  /** What to throw if this is the only row. */
  cause?: unknown
}

const APPROVED = 'REQUIREMENT_STATUS_APPROVED'

/** The requirements as they are; one that is named twice is one row. Rejects for one that does not exist. */
export async function readApprovals(named: readonly string[], product: Product, context: Context): Promise<Approval[]> {
  const rows = new Map<string, Approval>()
  for (const name of new Set(named)) {
    const { requirement: found } = await context.resolve.requirement(name, product.id)
    if (!rows.has(found.id)) {
      const { requirement } = await readForWrite(found, undefined, context)
      rows.set(found.id, judge(requirement))
    }
  }
  return [...rows.values()]
}

/** What was retired would count again, which is another decision than to approve a draft. */
function judge(requirement: Requirement): Approval {
  const { status } = requirement
  const row = { key: keyOrId(requirement), requirement, from: status }
  if (status === APPROVED) return { ...row, outcome: 'already' }
  if (status !== 'REQUIREMENT_STATUS_DEPRECATED') return { ...row, outcome: 'would_approve' }
  return { ...row, outcome: 'refused', error: 'it is deprecated; a person reinstates it in the web interface' }
}

/** Those that a request is sent for. */
export function selectWaiting(rows: readonly Approval[]): Approval[] {
  return rows.filter(({ outcome }) => outcome === 'would_approve')
}

/** Approves each that waits, and sets its outcome. Throws only when nothing was approved. */
export async function approve(rows: readonly Approval[], context: Context): Promise<void> {
  for (const row of selectWaiting(rows)) await approveOne(row, context)
  const [first] = rows
  if (first?.cause !== undefined && rows.every(({ outcome }) => outcome === 'failed')) throw first.cause
  if (rows.length === 1 && first?.outcome === 'unknown') throw first.cause
}

async function approveOne(row: Approval, { api, signal }: Context): Promise<void> {
  const { id, etag, product_id: product } = row.requirement
  try {
    const { requirement } = await api.updateRequirement({ id, status: APPROVED, etag }, { signal })
    Object.assign(row, { requirement, outcome: 'approved' })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // A repeated request that finds the first one done is refused as a conflict.
    const isOpen = error.code === 'aborted' || mayBeDone(error)
    const read = isOpen ? await ifReadable(api.getRequirement({ id }, { signal })) : undefined
    if (read?.requirement.status === APPROVED) {
      Object.assign(row, { requirement: read.requirement, outcome: 'approved', isReadBack: true })
    } else if (mayBeDone(error)) {
      const check = nextCall('get_requirement', { product, requirement: row.key }, 'shows whether it was approved')
      Object.assign(row, { outcome: 'unknown', cause: unknownOutcome(error, { next: check }) })
    } else {
      const cause = isNotOffered(error) ? notOffered('changes of requirements', { hint: STILL_WORKS }, error) : error
      Object.assign(row, { outcome: 'failed', cause, error: failureWords(cause) })
    }
  }
}

const STILL_WORKS = 'tell the user which requirements to approve in the web interface.'
