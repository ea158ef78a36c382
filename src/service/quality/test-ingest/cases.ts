import { hash } from 'node:crypto'
import type { ReportCase } from '../reports/model/report.ts'
import { worstCase } from '../reports/model/worst-case.ts'
import { caseIdentity, repositoryPath, type PathRoots } from '../cases/identity.ts'
import type { Pause } from '../../sql/database.ts'
import { findReferences, type NamedRequirement } from './references.ts'

/** A case of a report with its location in the repository, and every report of it in this request. */
export interface PlacedCase {
  identity: string
  file_path: string
  suite_path: string[]
  name: string
  project: string
  line: number
  tags: string[]
  labels: Record<string, string>
  requirements: NamedRequirement[]
  /** Whether its file is only the name of its report. */
  isFileOfReport: boolean
  /** The key of the issue that it reproduces. */
  issueKey: string | undefined
  /** The key of the test that it claims to be. */
  testKey: string | undefined
  /** One of each report that has it: reports of retries, or of shards that overlap. */
  reports: ReportCase[]
}

const LONGEST_NAME = 1000
/** An index of PostgreSQL takes entries of 2,704 bytes, with the id of the product. */
const LONGEST_NAME_BYTES = 2_500
const MOST_TAGS = 50
const LONGEST_TAG = 60

/** Merges cases by identity (contract §4.2), in the order in which the reports first name them. */
export async function placeCases(
  cases: readonly ReportCase[],
  { roots, keyPrefix, pause }: { roots: PathRoots; keyPrefix: string; pause: Pause },
): Promise<PlacedCase[]> {
  const placed = new Map<string, PlacedCase>()
  for (const one of cases) {
    await pause()
    const file_path = storedPath(one.file_path, roots)
    const place = { file_path, suite_path: one.suite_path, name: named(one.name), project: one.project }
    const identity = caseIdentity(place)
    const known = placed.get(identity)
    if (known !== undefined) {
      known.reports = onePerReport([...known.reports, one])
      continue
    }
    const { requirements, issueKey, testKey } = findReferences(one, keyPrefix)
    placed.set(identity, {
      identity,
      ...place,
      line: one.line,
      tags: one.tags.slice(0, MOST_TAGS).map((tag) => tag.slice(0, LONGEST_TAG)),
      isFileOfReport: one.isFileOfReport ?? false,
      labels: Object.fromEntries(Object.entries(one.labels).slice(0, MOST_TAGS)),
      requirements,
      issueKey,
      testKey,
      reports: [one],
    })
  }
  return [...placed.values()]
}

/**
 * What each report says of a test, in the order of the reports: of several cases of one report the worst, because only
 * another report can be another attempt (contract §4.1).
 */
export function onePerReport(reports: readonly ReportCase[]): ReportCase[] {
  return [...Map.groupBy(reports, ({ source = '' }) => source).values()].map(worstCase)
}

/** The path of a file of a report as its cases have it. */
export function storedPath(path: string, roots: PathRoots): string {
  return repositoryPath(path, roots).slice(0, 500)
}

/** Shortens a name that is too long; the digest keeps it different from others with the same start. */
function named(name: string): string {
  if (name.length <= LONGEST_NAME && Buffer.byteLength(name) <= LONGEST_NAME_BYTES) return name
  const digest = hash('sha256', name, 'hex').slice(0, 12)
  const { read } = new TextEncoder().encodeInto(name, new Uint8Array(LONGEST_NAME_BYTES - 16))
  const kept = Math.min(read, LONGEST_NAME - 14)
  return `${name.slice(0, kept)}… ${digest}`
}
