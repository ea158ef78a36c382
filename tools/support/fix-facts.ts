import type * as z from 'zod'
import type { Received } from '../../src/client/api.ts'
import type { FixContext } from '../../src/contract/fix-context.ts'
import type { ToldEvent } from './event-text.ts'
import { noteLine, vouched } from './facts.ts'
import { counted } from '../../src/lib/counted.ts'
import { parseTruncationNote } from '../../src/contract/base/truncation-note.ts'
import type { LocalFiles } from '../../src/mcp/files/local-files.ts'
import { knownName, quoted } from '../../src/mcp/text/untrusted.ts'

export type ToldFix = Received<z.output<typeof FixContext>>
type ToldFile = NonNullable<ToldFix['files']>[number]
type ToldRequirement = NonNullable<ToldFix['requirements']>[number]

const RANGES = 6
const TESTS = 3

/**
 * The implicated files that are files of the repository, the most suspicious first: members gave them to the workspace,
 * or they exist inside a root of this machine (mcp §6.3). Any other path stays with the frames.
 */
export async function matchedFiles(files: readonly ToldFile[], local: LocalFiles | undefined) {
  const matched = await Promise.all(
    files.map(async (file) => {
      const path = knownName(file.path, true) ?? ''
      const ways = [
        ...(file.exists_in_snapshot === true ? ['workspace'] : []),
        ...((await local?.exists(path)) === true ? ['this machine'] : []),
      ]
      if (path === '' || ways.length === 0) return []
      return [{ file: path, lines: ranges(file.lines), why: whyOf(file), matched: ways.join(', ') }]
    }),
  )
  return matched.flat()
}

function ranges(lines: ToldFile['lines'] = []): string | undefined {
  const texts = lines.flatMap(({ start, end }) =>
    start === undefined ? [] : [end === undefined || end === start ? String(start) : `${String(start)}-${String(end)}`],
  )
  const more = texts.length > RANGES ? ` and ${String(texts.length - RANGES)} more` : ''
  return texts.length === 0 ? undefined : texts.slice(0, RANGES).join(', ') + more
}

function whyOf({ reason }: ToldFile): string | undefined {
  return reason?.replace(/_frame$/, '').replace('_', ' ')
}

/** What the requirements say of the implicated files, and how well each is covered by tests. */
export function requirementRows(requirements: readonly ToldRequirement[]) {
  return requirements.map((requirement) => ({
    id: nameOf(requirement),
    coverage: requirement.coverage_state,
    ...(requirement.failing === true && { failing: true }),
    ...(requirement.suspect === true && { suspect: true }),
    title: noteLine(requirement.title, 120),
    claimed_by: claimOf(requirement),
    tests: testsOf(requirement),
  }))
}

/** The first requirement that no working test covers. */
export function untested(requirements: readonly ToldRequirement[]): string | undefined {
  const found = requirements.find(({ coverage_state: state }) => state === 'no_test' || state === 'not_run')
  return found && nameOf(found)
}

function nameOf({ id, key }: ToldRequirement): string {
  return key === undefined || key === '' ? id : key
}

/** The path that the requirement itself names: the one it matched may be an outsider's. */
function claimOf({ matched_by: claims = [] }: ToldRequirement): string | undefined {
  const paths = claims.flatMap(({ code_ref: ref }) => noteLine(ref?.path, 120) ?? [])
  if (paths.length > 0) return [...new Set(paths)].slice(0, 2).join(', ')
  return claims.length > 0 ? 'its component' : undefined
}

function testsOf({ tests = [] }: ToldRequirement): string | undefined {
  const texts = tests.slice(0, TESTS).map(({ id, key, file_path: path, last_status: status }) => {
    const name = key === undefined || key === '' ? id : key
    const where = noteLine(path, 120)
    const last =
      status === null || status === undefined ? 'never run' : status.replace('RESULT_STATUS_', '').toLowerCase()
    return `${name}${where === undefined ? '' : ` ${where}`} ${last}`
  })
  const more = tests.length > TESTS ? `, ${String(tests.length - TESTS)} more` : ''
  return texts.length === 0 ? undefined : texts.join(', ') + more
}

/** Where the issue occurs, the most occurrences first. */
export function environmentRows({ environments = [] }: ToldFix) {
  return environments.map((row) => ({
    environment: vouched(row.environment, row.environment_known),
    events: row.count,
    share: row.share === undefined ? undefined : `${String(Math.round(row.share * 100))} %`,
  }))
}

/** The releases around the bug, and the commits between the last good one and the first bad one. */
export function releaseFacts({ releases }: ToldFix) {
  if (releases === undefined) return undefined
  const { first, last, last_good: good, commit_range: range } = releases
  const [from, to] = [commit(range?.from), commit(range?.to)]
  return {
    first: vouched(first?.title, first?.known),
    last: vouched(last?.title, last?.known),
    last_good: vouched(good?.title, good?.known),
    commits: from === undefined || to === undefined ? undefined : `${from}..${to}`,
  }
}

/** Twelve digits of a digest are enough for git, and a third of its price. */
function commit(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40,64}$/i.test(text) ? text.slice(0, 12) : noteLine(text, 60)
}

/** What the service took for a git ref; a longer or odder text may be an outsider's, copied into the call. */
export function gitRef({ git_ref: ref }: ToldFix): string | undefined {
  return ref !== undefined && /^[\w./@+-]{1,100}$/.test(ref) ? ref : undefined
}

/** Environments and releases that nobody vouches for. */
export function unvouchedNames({ environments = [], releases }: ToldFix) {
  const versions = [releases?.first, releases?.last].filter((release) => release?.known === false)
  return [
    ...environments
      .filter((row) => row.environment_known !== true)
      .map((row) => quoted`environment ${row.environment}`.cut(100)),
    ...versions.map((release) => quoted`release ${release?.title}`.cut(140)),
  ]
}

const REASONS = 3

/**
 * What source maps made of the frames, why they could not do more and how to send them; undefined when there is nothing to
 * say. The reasons are the service's own sentences.
 */
export function sourceMapLine(event: ToldEvent, offers: (tool: string) => boolean): string | undefined {
  const { problems = [], frames_total: total, frames_mapped: mapped } = event.symbolication ?? {}
  if (problems.length === 0) return undefined
  // The command stands below, with the release.
  const reasons = Map.groupBy(
    problems,
    ({ reason = 'the service does not say why' }) => reason.split(/:? tracegate /)[0],
  )
  const why = Array.from(reasons, ([reason, { length }]) => `${noteLine(reason, 200) ?? ''} (${String(length)})`)
  const more = why.length > REASONS ? `; and ${String(why.length - REASONS)} more reasons` : ''
  const head =
    total === undefined || mapped === undefined ? '' : `${String(mapped)} of ${String(total)} frames mapped: `
  const release = knownName(event.release, event.release_known) ?? 'VERSION'
  const how = offers('upload_source_map')
    ? `Send the build's maps with upload_source_map, release ${release}, then call again.`
    : `To send the build's maps: tracegate sourcemaps upload DIR --release ${release}`
  return `${head}${why.slice(0, REASONS).join('; ')}${more}. ${how}`
}

/** Members that the tool never shows: that they were cut says nothing to its reader. */
const NEVER_SHOWN =
  /^(?:event\.)?(?:modules|debug_images|extra|contexts|fingerprint|message_params|user|request\.headers|symbolication|threads)\b/
/** Reasons of what stands in another member of the answer, or what nobody can see here. */
const ELSEWHERE = new Set(['cleared', 'moved'])
/** Reasons that need no word beside the numbers. */
const PLAIN = new Set(['count', 'size', 'max_frames', 'max_files', 'max_requirements'])

/** How much of a list is shown. */
export interface Kept {
  shown: number
  total: number
}

/**
 * What the service left out (contract §10.4, `truncation_signals`) and what the tool did: the name of the list, how many of
 * how many are there, and why where that is not plain.
 */
export function cutsOf(signals: readonly string[], own: Readonly<Record<string, Kept>>): string[] {
  const cuts = new Map<string, string>()
  for (const signal of signals) {
    const note = parseTruncationNote(signal)
    if (note === undefined) continue
    const { member, reason, kept, total } = note
    if (ELSEWHERE.has(reason) || NEVER_SHOWN.test(member)) continue
    const name = member.replace(/^event\./, '')
    const why = reason === 'length' ? ' characters' : PLAIN.has(reason) ? '' : ` (${reason})`
    cuts.set(name, `${name}: ${String(kept)} of ${String(total)}${why}`)
  }
  for (const [name, { shown, total }] of Object.entries(own)) {
    if (shown >= total) continue
    const all = Number(/ of (\d+)$/.exec(cuts.get(name) ?? '')?.[1] ?? total)
    cuts.set(name, `${name}: ${String(shown)} of ${String(Math.max(all, total))}`)
  }
  return [...cuts.values()]
}

/** Files that could not be matched, counted for whoever misses them. */
export function filesNote(matched: number, implicated: number): string | undefined {
  if (implicated === 0) return 'no in-app frame names a file'
  if (matched === implicated) return undefined
  return `${counted(implicated - matched, 'file')} of the frames not matched to the repository: find before editing`
}
