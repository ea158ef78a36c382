import { counted } from '../../../src/lib/counted.ts'
import { firstNames } from '../../../src/mcp/text/block-notes.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { isShowable } from '../../../src/mcp/result/teach.ts'
import { cutNames, kept } from '../cuts.ts'
import { conflictName, isMeant, suggestedUse } from './merge-preview.ts'
import type { MergeArguments, Merging } from './merging.ts'
import { conflictRow } from './rows.ts'

/** Conflicts of one answer; the others are shown once these are decided. */
const CONFLICTS = 20
/** Conflicts that the answer names. */
const NAMES = 5

/** The conflicts without a decision, and the call that decides them as suggested; undefined where all are decided. */
export function openConflicts(merging: Merging, args: MergeArguments) {
  const { subject, resolved } = merging
  const open = resolved.filter(({ wanted }) => wanted === undefined)
  if (open.length === 0) return undefined
  const { branch, product, label } = subject
  const suggested = open.map(({ conflict }) => ({ conflict: conflictName(conflict), ...suggestedUse(conflict) }))
  const decided = resolved.length - open.length
  const given = (args.resolutions ?? []).filter((one) => !open.some(({ conflict }) => isMeant(one, conflict)))
  const resolutions = [...given, ...suggested.slice(0, CONFLICTS)]
  const reason = isShowable(args.reason) ? args.reason : 'as the user decided'
  const so = decided === 0 ? '' : `, ${String(decided)} ${decided === 1 ? 'is' : 'are'} decided`
  return {
    answer:
      `Not merged: ${counted(open.length, 'conflict')} of quality branch ${label} ` +
      `${open.length === 1 ? 'needs' : 'need'} a decision${so}. Ask the user about each, in their words.${bothWords(open)}`,
    product,
    data: {
      dry_run: args.dry_run,
      outcome: 'not_merged' as const,
      branch,
      conflicts: open.slice(0, CONFLICTS).map(({ conflict }) => conflictRow(conflict)),
    },
    adjusted: leftOut(merging, args),
    cut: cutNames([], { conflicts: kept(open, CONFLICTS) }),
    howToGetMore: 'decide these first; the call then lists the others',
    next: [
      nextCall(
        'merge_quality_branch',
        { ...subject.args, resolutions, reason },
        'decides them as suggested: change use to main, branch or value as the user decides',
      ),
    ],
  }
}

function bothWords(open: Merging['resolved']): string {
  const names = open.filter(({ hasBoth }) => hasBoth).map(({ conflict }) => conflictName(conflict))
  if (names.length === 0) return ''
  return ` The value for ${firstNames(names, NAMES)} still has both texts between markers: write the one that should hold.`
}

/** Says how many resolutions name no conflict of the preview. */
export function leftOut({ resolved }: Merging, { resolutions = [] }: MergeArguments): string[] {
  const others = resolutions.filter((one) => !resolved.some(({ conflict }) => isMeant(one, conflict))).length
  return others === 0 ? [] : [`resolutions: ${String(others)} of no conflict left out`]
}
