import { madeOnce } from '../../../lib/once.ts'
import type { Rows } from '../../sql/database.ts'
import { keptByIssue } from '../../workspace/issue-facts/kept-by-issue.ts'
import { claimsRevision, readClaims } from '../requirements/claims.ts'
import { crashFiles, nearestFile } from './crash-files.ts'

/** What requirements claim of the files of a product's issues. */
export interface ProductClaims {
  /** The ids of the issues that have a file which the requirement claims. */
  byRequirement: ReadonlyMap<string, readonly string[]>
  /** By the id of an issue its file nearest to the crash, unless a requirement claims that one. */
  unclaimed: ReadonlyMap<string, string>
}

interface IssueClaims {
  requirementIds: readonly string[]
  unclaimed: string | undefined
}

/** Of one issue, with its place in both maps. */
const CLAIMS_BYTES = 200

/** Kept in memory: read again for issues with other files, and for all when a requirement changed. */
export async function issueClaims(rows: Rows, productId: number): Promise<ProductClaims> {
  const byIssue = await keptByIssue(rows, productId, {
    name: 'claims of issues',
    basis: String(await claimsRevision(rows, productId)),
    follows: 'facts revision',
    read: (issueIds) => readIssueClaims(rows, productId, issueIds),
    size: ({ requirementIds }) => CLAIMS_BYTES + requirementIds.length * 16,
  })
  return sumUp(byIssue)
}

/** Made again only when a value of an issue is another. */
const sumUp = madeOnce((byIssue: ReadonlyMap<string, IssueClaims>): ProductClaims => {
  const byRequirement = new Map<string, string[]>()
  const files = new Map<string, string>()
  for (const [id, { requirementIds, unclaimed }] of byIssue) {
    if (unclaimed !== undefined) files.set(id, unclaimed)
    for (const requirementId of requirementIds) {
      const ids = byRequirement.get(requirementId)
      if (ids === undefined) byRequirement.set(requirementId, [id])
      else ids.push(id)
    }
  }
  return { byRequirement, unclaimed: files }
})

async function readIssueClaims(
  rows: Rows,
  productId: number,
  issueIds: readonly string[] | undefined,
): Promise<Map<string, IssueClaims>> {
  const files = await crashFiles(rows, productId)
  const claims = await readClaims(rows, productId)
  const found = new Map<string, IssueClaims>()
  for (const id of issueIds ?? files.keys()) {
    const own = files.get(id)
    if (own === undefined) continue
    const nearest = nearestFile(own)?.path
    found.set(id, {
      requirementIds: [...new Set(own.flatMap(({ path }) => claims(path)))],
      unclaimed: nearest !== undefined && claims(nearest).length === 0 ? nearest : undefined,
    })
  }
  return found
}
