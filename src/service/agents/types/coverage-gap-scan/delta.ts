import * as z from 'zod'
import { Hash, IdOrEmpty } from '../../../../contract/base/common.ts'
import { untrusted } from '../../../../contract/base/text.ts'
import { GapType, GapWindow } from '../../../../contract/test-context.ts'

/** A score that moves by less is not reported: exposure changes a little from scan to scan. */
const LEAST_CHANGE = 1

const fields = { gap_id: Hash, requirement_id: IdOrEmpty, type: GapType, score: z.number() }

/** A gap by what identifies it. */
export const ScannedKey = z.object({
  ...fields,
  key: untrusted(z.string()).describe('REQ-12, or the path of a file that no requirement claims.'),
})
type ScannedKey = z.input<typeof ScannedKey>

export const Delta = z.object({
  new: z.int().describe('Gaps that the last scan did not have.'),
  gone: z.int().describe('Gaps of the last scan that are closed or below min_score.'),
  changed: z.int().describe('Gaps with another type, or with a score that moved by at least one point.'),
  new_gaps: z.array(ScannedKey).describe('Worst first.'),
  gone_gaps: z
    .array(ScannedKey.extend({ outcome: z.enum(['closed', 'below_min_score']) }))
    .describe('Type and score of the last scan, worst first.'),
  changed_gaps: z
    .array(ScannedKey.extend({ type_before: GapType, score_before: z.number() }))
    .describe('The largest change of score first.'),
})
type Delta = z.input<typeof Delta>

/** What the scores of a scan depend on. */
export interface ScanSettings {
  window: z.output<typeof GapWindow>
  environmentId: string
  minScore: number
}

interface LastScan extends ScanSettings {
  gaps: readonly ScannedKey[]
  /** Gaps with at most this score may be missing from `gaps`; 0 when none is missing. */
  floor: number
}

/** The members of an earlier output that this scan reads. */
const EarlierOutput = z.object({
  window: GapWindow,
  environment: z.object({ id: z.string() }).nullable(),
  min_score: z.number(),
  total: z.int(),
  gaps: z.array(
    z.object({
      id: z.string(),
      type: GapType,
      score: z.number(),
      requirement: z.object({ id: z.string(), key: z.string() }).nullable(),
      files: z.array(z.string()),
    }),
  ),
  unlisted: z.array(z.object({ ...fields, key: z.string() })),
})

/** The last scan of an output that this type wrote; undefined for anything else. */
export function readLastScan(previous: unknown): LastScan | undefined {
  const read = EarlierOutput.safeParse(previous)
  if (!read.success) return undefined
  const { window, environment, min_score: minScore, total, gaps: listed, unlisted } = read.data
  const gaps = [
    ...listed.map(({ id, type, score, requirement, files: [path = ''] }) => ({
      gap_id: id,
      requirement_id: requirement?.id ?? '',
      key: requirement?.key ?? path,
      type,
      score,
    })),
    ...unlisted,
  ]
  const isWhole = gaps.length >= total
  return {
    window,
    environmentId: environment?.id ?? '',
    minScore,
    gaps,
    floor: isWhole ? 0 : (gaps.at(-1)?.score ?? 0),
  }
}

/**
 * What changed from the last scan to `now`, the present gaps of any score, worst first. A gap is the same while its
 * requirement or file is the same, even if its type changes.
 */
export function compareScans(last: LastScan, now: readonly ScannedKey[], minScore: number): Delta {
  const before = new Map(last.gaps.map((gap) => [subject(gap), gap]))
  const after = new Map(now.map((gap) => [subject(gap), gap]))
  const open = now.filter(({ score }) => score >= minScore)
  const fresh = open.filter((gap) => !before.has(subject(gap)) && gap.score > last.floor)
  const gone = last.gaps.flatMap((gap) => {
    const still = after.get(subject(gap))
    if (still !== undefined && still.score >= minScore) return []
    return [{ ...gap, outcome: still === undefined ? ('closed' as const) : ('below_min_score' as const) }]
  })
  const changed = open.flatMap((gap) => {
    const earlier = before.get(subject(gap))
    if (earlier === undefined || !hasChanged(earlier, gap)) return []
    return [{ ...gap, type_before: earlier.type, score_before: earlier.score }]
  })
  const moved = ({ score, score_before: earlier }: (typeof changed)[number]) => Math.abs(score - earlier)
  return {
    new: fresh.length,
    gone: gone.length,
    changed: changed.length,
    new_gaps: fresh,
    gone_gaps: gone,
    changed_gaps: changed.toSorted((left, right) => moved(right) - moved(left)),
  }
}

/** The requirement or the file of a gap. Events name files, so a path may read like the key of a requirement. */
function subject({ requirement_id: id, key }: ScannedKey): string {
  return id === '' ? `file ${key}` : id
}

function hasChanged(before: ScannedKey, after: ScannedKey): boolean {
  // Scores have one decimal; their difference is rounded so that exactly one point counts.
  return before.type !== after.type || Math.round(Math.abs(after.score - before.score) * 10) / 10 >= LEAST_CHANGE
}
