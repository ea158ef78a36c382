import type { Context } from '../../../src/mcp/define/define.ts'
import { isObject } from '../../../src/lib/objects.ts'
import { explainNotOffered } from '../../../src/mcp/resolve/offered.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { explainMissingBranch } from '../named-branch.ts'
import type { BranchSubject } from './subject.ts'

export type MergePreview = Awaited<ReturnType<Context['api']['previewMerge']>>['merge_preview']
export type Conflict = NonNullable<MergePreview['conflicts']>[number]

/** Characters of a value that resolves a conflict: as many as a statement may have. */
export const MOST_VALUE = 20_000

/** What a merge of the branch would do now. */
export async function readPreview({ branch }: BranchSubject, { api, signal }: Context): Promise<MergePreview> {
  const { merge_preview: preview } = await api
    .previewMerge({ id: branch.id }, { signal })
    .catch(explainMissingBranch(branch))
    .catch(explainNotOffered('merges of quality branches', { hint: 'ask the user to merge it in the web interface.' }))
  return preview
}

/** How the caller resolves one conflict. */
export interface WantedResolution {
  conflict: string
  use: 'main' | 'branch' | 'value'
  value?: string | undefined
}

/** A conflict with what the caller wants, if anything. */
export interface ResolvedConflict {
  conflict: Conflict
  wanted: WantedResolution | undefined
  /** The caller gives a text in which both sides still stand between markers: nobody has decided yet. */
  hasBoth: boolean
}

/** Each conflict with its resolution. Throws for a value that is missing or that nothing uses. */
export function resolveConflicts(
  { conflicts = [] }: MergePreview,
  wanted: readonly WantedResolution[],
): ResolvedConflict[] {
  const odd = wanted
    .filter((one) => conflicts.some((conflict) => isMeant(one, conflict)))
    .find((one) => (one.use === 'value') !== hasValue(one))
  if (odd !== undefined)
    throw new TeachingError('invalid_argument', 'one of resolutions has a value without use = value, or lacks it', {
      sent: `use = ${odd.use} ${hasValue(odd) ? 'with' : 'without'} value`,
      expected: 'value with use = value, and only then',
    })
  return conflicts.map((conflict) => {
    const given = wanted.find((one) => isMeant(one, conflict))
    const hasBoth = given?.value !== undefined && hasMarkers(given.value)
    return { conflict, wanted: hasBoth ? undefined : given, hasBoth }
  })
}

/**
 * Whether the resolution names this conflict: by the name that the answer shows, by its id, or by a key alone, which names
 * all conflicts of that requirement.
 */
export function isMeant({ conflict: given, use }: WantedResolution, conflict: Conflict): boolean {
  const names = [conflictName(conflict), ...(use === 'value' ? [] : [conflict.key ?? ''])]
  return given === conflict.id || names.some((name) => given.toUpperCase() === name.toUpperCase())
}

function hasValue({ value }: WantedResolution): boolean {
  return value !== undefined
}

const uses = { main: 'RESOLUTION_USE_MAIN', branch: 'RESOLUTION_USE_BRANCH', value: 'RESOLUTION_USE_VALUE' } as const

/** The resolutions as the merge takes them. */
export function requestResolutions(resolved: readonly ResolvedConflict[]) {
  return resolved.flatMap(({ conflict, wanted }) =>
    wanted === undefined
      ? []
      : [
          {
            conflict_id: conflict.id,
            resolution: uses[wanted.use],
            ...(wanted.value !== undefined && { value: parseValue(wanted.value, conflict) }),
          },
        ],
  )
}

/** A text stays as it is where the member is a text; of another member it is JSON. */
function parseValue(text: string, { main, branch, base, field }: Conflict): unknown {
  const isText = [main, branch, base].every((side) => typeof side === 'string' || side === null || side === undefined)
  if (isText) return text
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    const message = `the value of ${field ?? 'this member'} is JSON, as main and branch show it`
    throw new TeachingError('invalid_argument', message, { sent: 'a value that is no JSON' }, { cause })
  }
}

/**
 * The resolution that the service suggests, in the words of the parameter; a side where the merge would refuse the value,
 * or where no parameter can say it.
 */
export function suggestedUse({ suggested, suggested_value: value }: Conflict): Pick<WantedResolution, 'use' | 'value'> {
  const isValue = suggested === 'RESOLUTION_USE_VALUE'
  if (suggested === 'RESOLUTION_USE_MAIN' || (isValue && value == null)) return { use: 'main' }
  if (!isValue || hasMarkers(value)) return { use: 'branch' }
  const text = valueText(value)
  return text.length > MOST_VALUE ? { use: 'branch' } : { use: 'value', value: text }
}

/** Whether a text of the value has both sides between the markers of git; a list may be written as JSON, and `<` as it is shown. */
export function hasMarkers(value: unknown): boolean {
  if (typeof value === 'string') return /(?:^|\n|\\n|")[<‹]{7} /.test(value) && /(?:\n|\\n)[>›]{7} /.test(value)
  return isObject(value) || Array.isArray(value) ? Object.values(value).some(hasMarkers) : false
}

/** What a resolution makes of a conflict: its value, in words. */
export function resolvedText({ conflict, wanted }: ResolvedConflict): string {
  if (wanted?.use === 'value') return wanted.value ?? ''
  return valueText(wanted?.use === 'main' ? conflict.main : conflict.branch)
}

/** A member's value as text: a text as it is, lists and objects as JSON; `nothing` where there is none. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What a resolution calls a conflict: `REQ-31/statement`; of a whole requirement or test its key. */
export function conflictName({ key, entity_id: id, field }: Conflict): string {
  return [key || id, field].filter(Boolean).join('/')
}
