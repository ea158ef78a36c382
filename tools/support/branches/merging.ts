import type { Context } from '../../../src/mcp/define/define.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import {
  readPreview,
  resolveConflicts,
  type MergePreview,
  type ResolvedConflict,
  type WantedResolution,
} from './merge-preview.ts'
import { readSubject, type BranchSubject } from './subject.ts'

/** What a call of merge_quality_branch says. */
export interface MergeArguments {
  product?: string | undefined
  branch: string
  resolutions?: readonly WantedResolution[] | undefined
  reason: string
  dry_run: boolean
}

/** A branch, what its merge would do, and how the caller decides its conflicts. */
export interface Merging {
  subject: BranchSubject
  preview: MergePreview
  resolved: ResolvedConflict[]
}

/** The reading of each call, by its arguments: what is shown, asked and sent rests on one preview. */
const readings = new WeakMap<MergeArguments, Promise<Merging>>()

/** Reads the preview, once per call. Throws `NOTHING_TO_MERGE` where the branch changes nothing. */
export function readMerging(args: MergeArguments, context: Context): Promise<Merging> {
  const reading = readings.get(args) ?? readFresh(args, context)
  readings.set(args, reading)
  return reading
}

/** The same as it is now. */
export async function readFresh(args: MergeArguments, context: Context): Promise<Merging> {
  const subject = await readSubject(args, context)
  const preview = await readPreview(subject, context)
  const { changes, link_proposals: proposals } = preview
  const isEmpty = changes !== undefined && changes.length === 0 && proposals?.approved === 0
  if (isEmpty) throw nothingToMerge(subject)
  return { subject, preview, resolved: resolveConflicts(preview, args.resolutions ?? []) }
}

/** The failure of a merge that would change nothing. */
export function nothingToMerge({ label, argument }: BranchSubject): TeachingError {
  return new TeachingError(
    'failed_precondition',
    `quality branch ${label} changes nothing`,
    {
      expected: 'a draft or an accepted link proposal on it',
      next: nextCall('review_branch', { branch: argument }, 'shows what is on it'),
    },
    { reason: 'NOTHING_TO_MERGE' },
  )
}
