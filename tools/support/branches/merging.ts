import type { Context } from '../../../src/mcp/define/define.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { isTracegate } from '../is-tracegate.ts'
import { ifReadable } from '../writes/outcome.ts'
import {
  readPreview,
  requestResolutions,
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
  /** Coverage and gate after a merge with these decisions; undefined where the deployment does not tell them. */
  effect: MergeEffect | undefined
}

export type MergeAnswer = Awaited<ReturnType<Context['api']['mergeBranch']>>['merge']
/** Members that are null or missing are not stated. */
export type MergeEffect = Pick<NonNullable<MergeAnswer>, 'coverage_effect' | 'gate_effect'>

/** The reading of each call, by its arguments: what is shown, asked and sent rests on one preview. */
const readings = new WeakMap<MergeArguments, Promise<Merging>>()

/** Reads the preview, once per call. Throws `NOTHING_TO_MERGE` where the branch changes nothing. */
export function readMerging(args: MergeArguments, context: Context): Promise<Merging> {
  const reading = readings.get(args) ?? readFresh(args, context)
  readings.set(args, reading)
  return reading
}

/** Reads it again, as it is now. */
export async function readFresh(args: MergeArguments, context: Context): Promise<Merging> {
  const subject = await readSubject(args, context)
  const preview = await readPreview(subject, context)
  const { changes, link_proposals: proposals } = preview
  const isEmpty = changes !== undefined && changes.length === 0 && proposals?.approved === 0
  if (isEmpty) throw nothingToMerge(subject)
  const read = { subject, preview, resolved: resolveConflicts(preview, args.resolutions ?? []) }
  return { ...read, effect: await readEffect(read, args, context) }
}

/** What the merge is asked to do, as it was shown. */
export function mergeRequest({ subject, preview, resolved }: Omit<Merging, 'effect'>, { reason }: MergeArguments) {
  return {
    id: subject.branch.id,
    preview_token: preview.preview_token,
    resolutions: requestResolutions(resolved),
    approve_requirements: true,
    note: reason,
  }
}

/** Only a dry run knows the decisions and the approval of the merge; another deployment than ours might make the merge. */
async function readEffect(
  merging: Omit<Merging, 'effect'>,
  args: MergeArguments,
  context: Context,
): Promise<MergeEffect | undefined> {
  const { preview, resolved } = merging
  if (resolved.some(({ wanted }) => wanted === undefined)) return undefined
  const previewed = resolved.length === 0 ? preview : undefined
  if ((await ifReadable(isTracegate(context))) !== true) return previewed
  const { api, signal } = context
  const dryRun = { ...mergeRequest(merging, args), validate_only: true }
  const merge = (await ifReadable(api.mergeBranch(dryRun, { signal })))?.merge
  return merge?.coverage_effect ? merge : previewed
}

/** The failure of a merge that would change nothing. */
export function nothingToMerge({ label, args }: BranchSubject): TeachingError {
  return new TeachingError(
    'failed_precondition',
    `quality branch ${label} changes nothing`,
    {
      expected: 'a draft or an accepted link proposal on it',
      next: nextCall('review_branch', args, 'shows what is on it'),
    },
    { reason: 'NOTHING_TO_MERGE' },
  )
}
