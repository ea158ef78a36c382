import * as z from 'zod'
import { NamedRef } from '../../../../contract/base/common.ts'
import { Gap, GapWindow } from '../../../../contract/test-context.ts'
import { gapId, scanGaps, type ScannedGap } from '../../../quality/gaps/scan.ts'
import { viewGaps } from '../../../quality/gaps/view.ts'
import { requirementKey } from '../../../quality/keys.ts'
import { createTruncationNotes, keepFirst, type TruncationNotes } from '../../../shared/truncation-notes.ts'
import { defineAgent, type AgentContext } from '../../define.ts'
import { environmentRef, requireNamedEnvironment } from '../../named.ts'
import { keepFitting } from '../../output-size.ts'
import { compareScans, Delta, readLastScan, ScannedKey, type ScanSettings } from './delta.ts'
import { countTypes, describeGap, summarise, TypeCounts } from './words.ts'

/** Gaps that a scan records for the next one to compare with, including those listed in full. */
const RECORDED = 1_000

/** Entries of each list of a delta. */
const LISTED_CHANGES = 50

/** What each list may use of the output. */
const SHARES = { gaps: 0.5, unlisted: 0.35, changes: 0.04 }

const input = z.strictObject({
  window: GapWindow.default('7d').describe('Period of the errors that count as exposure.'),
  environment: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Id or name: only errors and test results of this environment count. Default: all environments.'),
  limit: z.int().min(1).max(200).default(50).describe('Gaps listed in full.'),
  min_score: z.number().min(0).max(100).default(20).describe('Gaps with a lower score are left out.'),
})

const output = z.object({
  window: GapWindow,
  environment: NamedRef.nullable(),
  min_score: z.number(),
  total: z.int().describe('Gaps with at least min_score.'),
  below_min_score: z.int().describe('Further gaps, with a lower score.'),
  by_type: TypeCounts,
  delta: Delta.nullable().describe('What changed since the last scan; null if none had the same settings.'),
  gaps: z.array(Gap).describe('Worst first, at most `limit`, as listCoverageGaps shows them.'),
  unlisted: z
    .array(ScannedKey)
    .describe('Further gaps by key and score, worst first. The next scan compares with them.'),
})

export const coverageGapScan = defineAgent({
  id: 'coverage_gap_scan',
  title: 'Coverage gap scan',
  description:
    'Ranks the requirements without working tests, and the files with errors that no requirement claims, by risk and ' +
    'live errors. Says what is new, gone or changed since its last run.',
  version: '1.0.0',
  reads: ['requirements', 'tests', 'issues'],
  writes: [],
  input,
  output,

  async run(context, { window, environment: named, limit, min_score: minScore }) {
    const { rows, product, now } = context
    const environment = named === undefined ? undefined : await requireNamedEnvironment(rows, product.id, named)
    const viewing = { window, environmentId: environment?.id, now, keyPrefix: product.key_prefix }
    await context.progress({ phase: 'scan', done: 0, total: 1 })
    const scanned = await scanGaps(rows, product, viewing)
    await context.progress({ phase: 'scan', done: 1, total: 1 })

    // Both lists are worst first, so that the gaps with a score of at least min_score come first.
    const all = scanned.map(scannedKey)
    const open = all.filter(({ score }) => score >= minScore)
    const notes = createTruncationNotes()
    const first = keepFirst(notes, 'gaps', scanned.slice(0, open.length), limit)
    const ranked = first.map((gap, index) => ({ gap, rank: index + 1 }))
    const viewed = await viewGaps(rows, product, ranked, viewing)
    await context.progress({ phase: 'compare', done: 0, total: 1 })

    const settings = { window, environmentId: environment?.id ?? '', minScore }
    const last = await readLast(context, settings)
    const delta = last && compareScans(last, all, minScore)
    for (const found of (delta?.new_gaps ?? open).slice(0, limit)) await context.finding(...describeGap(found, viewed))
    const counts = {
      min_score: minScore,
      total: open.length,
      below_min_score: all.length - open.length,
      by_type: countTypes(open),
    }
    const gaps = keepFitting(notes, 'gaps', viewed, { share: SHARES.gaps })
    const unlisted = { share: SHARES.unlisted, max: RECORDED - gaps.length }
    return {
      summary: summarise(counts, { delta, worst: viewed[0] }),
      output: {
        window,
        environment: environment === undefined ? null : environmentRef(environment),
        ...counts,
        delta: delta === undefined ? null : cutDelta(delta, notes),
        gaps,
        unlisted: keepFitting(notes, 'unlisted', open.slice(gaps.length), unlisted),
      },
      truncationSignals: notes.list(),
    }
  },
})

/** The last scan, unless it was made with other settings, which would make its scores incomparable. */
async function readLast({ previous, warn }: AgentContext, settings: ScanSettings) {
  const last = readLastScan(previous)
  if (last === undefined) return undefined
  const other = (['window', 'environmentId', 'minScore'] as const).filter((name) => last[name] !== settings[name])
  if (other.length === 0) return last
  await warn('The last scan had another window, environment or min_score, so nothing is compared with it.')
  return undefined
}

function cutDelta(delta: z.input<typeof Delta>, notes: TruncationNotes): z.input<typeof Delta> {
  const size = { share: SHARES.changes, max: LISTED_CHANGES }
  return {
    ...delta,
    new_gaps: keepFitting(notes, 'delta.new_gaps', delta.new_gaps, size),
    gone_gaps: keepFitting(notes, 'delta.gone_gaps', delta.gone_gaps, size),
    changed_gaps: keepFitting(notes, 'delta.changed_gaps', delta.changed_gaps, size),
  }
}

function scannedKey(gap: ScannedGap): z.input<typeof ScannedKey> {
  return {
    gap_id: gapId(gap),
    requirement_id: gap.requirementId ?? '',
    key: gap.requirementId === undefined ? gap.path : requirementKey(gap),
    type: gap.type,
    score: gap.score,
  }
}
