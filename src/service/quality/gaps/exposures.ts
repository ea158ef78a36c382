import { largest } from '../../../lib/largest.ts'
import { madeOnce } from '../../../lib/once.ts'
import type { Rows } from '../../sql/database.ts'
import { remembered } from '../../sql/remembered.ts'
import { liveIssues, windowStart, type Exposure, type GapQuery, type LiveIssue, type LiveIssues } from './exposure.ts'
import { issueClaims, type ProductClaims } from './issue-claims.ts'

/** What errors say of a product's gaps. */
export interface Exposures {
  /** The issues that add to the score of a requirement, by its id and its components. */
  find: (requirementId: string, componentIds: readonly string[]) => Exposure
  /** The files with most exposure that no requirement claims, with the issues that crash in them. */
  hotFiles: readonly { path: string; exposure: Exposure }[]
}

/** The most hot files in the list: anyone who can send events can create them. */
const MOST_FILES = 200

/** The exposure of each requirement of a product, and of the files that none claims. */
export function readExposures(rows: Rows, productId: number, query: GapQuery): Promise<Exposures> {
  const { window, environmentId = '', now } = query
  const key = `exposures ${String(productId)} ${String(windowStart(window, now))} ${environmentId}`
  return remembered(rows, key, async () => {
    const [issues, claims] = await Promise.all([liveIssues(rows, productId, query), issueClaims(rows, productId)])
    return makeExposures(issues, claims)
  })
}

/** Only a commit that changes issues or claims makes them again. */
const makeExposures = madeOnce((issues: LiveIssues, claims: ProductClaims): Exposures => {
  const sound = Array.from(issues.values()).filter(isSound)
  return { find: createFinder(issues, sound, claims), hotFiles: readHotFiles(sound, claims) }
})

function isSound({ doubt }: LiveIssue): boolean {
  return doubt === undefined
}

function createFinder(issues: LiveIssues, sound: readonly LiveIssue[], { byRequirement }: ProductClaims) {
  const components = Map.groupBy(sound, ({ componentId }): string => componentId)
  const sums = new Map(Array.from(components, ([id, own]) => [id, sumWeights(own)]))
  return (requirementId: string, componentIds: readonly string[]): Exposure => {
    const claimed = (byRequirement.get(requirementId) ?? []).flatMap((id) => issues.get(id) ?? [])
    const matched = claimed.filter(isSound)
    const near = [...new Set(componentIds)]
    const nearSum = near.reduce((sum, id) => sum + (sums.get(id) ?? 0), 0)
    const both = sumWeights(matched.filter(({ componentId }) => near.includes(componentId)))
    return {
      matched,
      doubted: claimed.filter((issue) => !isSound(issue)),
      // Thousands for most requirements, and only those of the gaps that are shown are looked at.
      get nearby() {
        const known = new Set(matched)
        return near.flatMap((id) => components.get(id) ?? []).filter((issue) => !known.has(issue))
      },
      weighted: sumWeights(matched) + 0.5 * Math.max(0, nearSum - both),
    }
  }
}

function readHotFiles(sound: readonly LiveIssue[], { unclaimed }: ProductClaims): Exposures['hotFiles'] {
  const files = new Map<string, { matched: LiveIssue[]; weighted: number }>()
  for (const issue of sound) {
    const path = unclaimed.get(issue.id)
    if (path === undefined) continue
    const file = files.get(path)
    if (file === undefined) files.set(path, { matched: [issue], weighted: issue.weighted })
    else {
      file.matched.push(issue)
      file.weighted += issue.weighted
    }
  }
  return largest(files, MOST_FILES, ({ weighted }) => weighted).map(([path, { matched, weighted }]) => ({
    path,
    exposure: { matched, nearby: [], doubted: [], weighted },
  }))
}

function sumWeights(issues: readonly LiveIssue[]): number {
  return issues.reduce((total, { weighted }) => total + weighted, 0)
}
