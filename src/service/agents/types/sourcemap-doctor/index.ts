import { dayMs, timestamp } from '../../../shared/times.ts'
import { notFound } from '../../../../errors.ts'
import { createTruncationNotes } from '../../../shared/truncation-notes.ts'
import type { Rows } from '../../../sql/database.ts'
import { isKnownRelease } from '../../../workspace/releases/rules.ts'
import { defineAgent } from '../../define.ts'
import { keepFitting } from '../../output-size.ts'
import { readFrames } from './read-frames.ts'
import { scanEvents } from './scan.ts'
import { input, output, type Window } from './schema.ts'
import { listFixes, viewGroups, type ViewedGroup } from './view.ts'
import { countCauses, describe, summarise } from './words.ts'

const windowMs: Readonly<Record<Window, number>> = { '1d': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs }
const MOST_GROUPS = 100
const MOST_FIXES = 50
const MOST_FINDINGS = 50

export const sourcemapDoctor = defineAgent({
  id: 'sourcemap_doctor',
  title: 'Source map doctor',
  description:
    'Says why frames of JavaScript stay minified: for each release and file the cause, the upload that comes nearest, and the command or setting that repairs it.',
  version: '1.0.0',
  reads: ['events', 'sourcemaps', 'releases'],
  writes: [],
  input,
  output,
  async run(context, { window, release }) {
    const { rows, product, now, finding } = context
    const notes = createTruncationNotes()
    const from = now - windowMs[window]
    const known = await readReleases(rows, product.id)
    const releaseIds = release === undefined ? undefined : known.get(release)?.ids
    if (release !== undefined && releaseIds === undefined)
      throw notFound('release', release, 'list the releases of the product')
    const scan = await scanEvents(context, { from, to: now, releaseIds, notes })
    const { groups, sampled } = await readFrames(context, scan.suspects)
    const isKnown = (version: string) => known.get(version)?.isKnown ?? false
    const viewed = await viewGroups(context, groups, { suspects: scan.suspects, isKnown })
    const { fixes, groups: all } = listFixes(viewed)
    const issues = new Set(viewed.flatMap(({ issueIds }) => issueIds)).size
    const shown = keepFitting(notes, 'groups', all, { share: 0.7, max: MOST_GROUPS })
    for (const group of viewed.slice(0, Math.min(shown.length, MOST_FINDINGS)))
      await finding(describe(group.body), findingData(group))
    return {
      summary: summarise({ groups: all, fixes, issues, window }),
      output: {
        window: { from: timestamp(from), to: timestamp(now) },
        counts: {
          events: scan.events,
          unmapped_events: scan.unmapped,
          sampled_events: sampled,
          groups: all.length,
          frames: all.reduce((sum, { frames }) => sum + frames, 0),
          issues,
          causes: countCauses(all),
        },
        fixes: keepFitting(notes, 'fixes', fixes, { share: 0.2, max: MOST_FIXES }),
        groups: shown,
      },
      truncationSignals: notes.list(),
    }
  },
})

/** By version: the ids of its releases, and whether a token made one of them known. */
async function readReleases(rows: Rows, productId: number) {
  const found = await rows
    .selectFrom('release')
    .select(['id', 'version', 'origin'])
    .where('product_id', '=', productId)
    .execute()
  const versions = Map.groupBy(found, ({ version }) => version)
  return new Map(
    [...versions].map(([version, some]) => [
      version,
      { ids: some.map(({ id }) => id), isKnown: some.some(isKnownRelease) },
    ]),
  )
}

function findingData({ body: { cause, release, file, debug_id, issues, nearest }, fix }: ViewedGroup) {
  return { cause, release, file, debug_id, issues, fix, nearest }
}
