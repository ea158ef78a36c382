import type { Requirement } from '../../../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { isRepeatable } from '../../../src/mcp/text/team.ts'
import { keyOrId } from '../columns.ts'
import { parseCriterion, criterionText } from './criteria.ts'
import { parsePriority, priorityWord, type PriorityWord } from './priority.ts'

/** What a caller wants a requirement to say; an absent member stays as it is. */
export interface WantedRequirement {
  title: string
  body?: string | undefined
  criteria?: readonly string[] | undefined
  /** Repository paths or globs. */
  files?: readonly string[] | undefined
  priority?: PriorityWord | undefined
}

type Criterion = NonNullable<Requirement['acceptance_criteria']>[number]
type CodeRef = NonNullable<Requirement['code_refs']>[number]
export type Part = 'title' | 'body' | 'criteria' | 'files' | 'priority'

/** An undo that would be longer is not proposed: it would take the place of the result. */
const UNDO_CHARACTERS = 2000

/** The members of an update, in the contract's words. */
export function requestFields(wanted: WantedRequirement, before?: Requirement) {
  const { title, body, criteria, files } = wanted
  return {
    title,
    statement: body,
    acceptance_criteria: criteria && keepCriteria(criteria, before?.acceptance_criteria ?? []),
    code_refs: files && keepCodeRefs(files, before?.code_refs ?? []),
    priority: wanted.priority && parsePriority(wanted.priority),
  }
}

/**
 * The parts that the caller's words change. `isRevision` says whether what the requirement asks for changes with them: then
 * it gets a new version and every link to a test is in doubt (contract §3).
 */
export function changedParts(wanted: WantedRequirement, before: Requirement): { parts: Part[]; isRevision: boolean } {
  const { title, body, criteria, files, priority } = wanted
  const was = (before.acceptance_criteria ?? []).map(criterionText)
  const revised: [Part, boolean][] = [
    ['title', !isSame(title, before.title)],
    // What the deployment does not state may differ.
    ['body', body !== undefined && (before.statement === undefined || !isSame(body, before.statement))],
    ['criteria', criteria !== undefined && (before.acceptance_criteria === undefined || !isSameList(criteria, was))],
  ]
  const declared = declaredFiles(before)
  const isUnknown = before.code_refs === undefined
  const moved = files !== undefined && (isUnknown || !isSameList(files.toSorted(), declared.toSorted()))
  const reweighed = priority !== undefined && priority !== priorityWord(before)
  const changed: [Part, boolean][] = [...revised, ['files', moved], ['priority', reweighed]]
  return {
    parts: changed.flatMap(([part, isChanged]) => (isChanged ? [part] : [])),
    isRevision: revised.some(([, isChanged]) => isChanged),
  }
}

/** How many of the criteria or files are not among the wanted ones. */
export function countRemoved(part: 'criteria' | 'files', wanted: readonly string[], before: Requirement): number {
  const was = part === 'files' ? declaredFiles(before) : (before.acceptance_criteria ?? []).map(criterionText)
  return was.filter((text) => !wanted.some((other) => isSame(other, text))).length
}

/** The member that a part is read from. */
const members = {
  title: 'title',
  body: 'statement',
  criteria: 'acceptance_criteria',
  files: 'code_refs',
  priority: 'priority',
} as const

/** Whether the requirement, as it was read, says what each of these parts was. */
export function isStated(before: Requirement, parts: readonly Part[]): boolean {
  return before.title !== undefined && parts.every((part) => before[members[part]] !== undefined)
}

/**
 * The call that puts the old words back. Undefined where they are not stated or cannot be repeated here: they are long, or
 * hold what looks like a secret.
 */
export function undoCall(
  before: Requirement,
  parts: readonly Part[],
  scope: { product: string; branch?: string },
): NextAction | undefined {
  if (!isStated(before, parts)) return undefined
  const texts = {
    title: before.title ?? '',
    ...(parts.includes('body') && { body: before.statement ?? '' }),
    ...(parts.includes('criteria') && { criteria: (before.acceptance_criteria ?? []).map(criterionText) }),
    ...(parts.includes('files') && { files: declaredFiles(before) }),
    ...(parts.includes('priority') && { priority: priorityWord(before) ?? '' }),
  }
  const said = Object.entries(texts).filter(([, text]) => text.length > 0)
  if (!said.flatMap(([, text]) => text).every(isRepeatable)) return undefined
  if (JSON.stringify(texts).length > UNDO_CHARACTERS) return undefined
  const emptied = Object.keys(texts).filter((part) => !said.some(([name]) => name === part))
  const old = { ...Object.fromEntries(said), ...(emptied.length > 0 && { clear: emptied }) }
  const isWording = parts.some((part) => part === 'title' || part === 'body' || part === 'criteria')
  const why = isWording
    ? 'puts the old words back, if the user wants that; links in doubt stay so'
    : `puts the old ${parts.join(', ')} back, if the user wants that`
  return nextCall('save_requirement', { ...scope, requirement: keyOrId(before), ...old }, why)
}

/** A criterion that reads like an existing one is that one: it keeps its id and thus the tests that cover it. */
function keepCriteria(criteria: readonly string[], known: readonly Criterion[]) {
  const left = [...known]
  return criteria.map((text) => {
    const at = left.findIndex((one) => isSame(criterionText(one), text))
    const [found] = at < 0 ? [] : left.splice(at, 1)
    if (found === undefined) return { ...parseCriterion(text) }
    const { position: _, ...same } = found
    return same
  })
}

/** The files as declared references; references that tools found stay, as does everything known about a file that stays. */
function keepCodeRefs(files: readonly string[], known: readonly CodeRef[]) {
  const isDeclared = ({ source }: CodeRef) => source === undefined || source === 'CODE_REF_SOURCE_DECLARED'
  const found = known.filter((ref) => !isDeclared(ref))
  const declared = [...new Set(files)].flatMap((path) => {
    const same = known.filter((ref) => isDeclared(ref) && ref.path === path)
    return same.length > 0 ? same : [{ path, source: 'CODE_REF_SOURCE_DECLARED' as const }]
  })
  return [...declared, ...found].flatMap(({ path, ...ref }) => (path === undefined ? [] : [{ path, ...ref }]))
}

function declaredFiles({ code_refs: refs = [] }: Requirement): string[] {
  const declared = refs.filter(({ source }) => source === undefined || source === 'CODE_REF_SOURCE_DECLARED')
  return [...new Set(declared.flatMap(({ path }) => path ?? []))]
}

/** The service ignores differences in spacing as well. */
function isSame(one: string, other: string | undefined): boolean {
  return spaced(one) === spaced(other ?? '')
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => isSame(text, other[index]))
}

function spaced(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}
