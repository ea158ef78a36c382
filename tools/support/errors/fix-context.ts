import * as z from 'zod'
import type { Received } from '../../../src/client/api.ts'
import type { FixContext as FixContextSchema } from '../../../src/contract/fix-context.ts'
import { counted } from '../../../src/lib/counted.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import { locateFiles, type LocatedFiles } from '../../../src/mcp/files/locate-files.ts'
import { issueName } from '../../../src/mcp/resolve/ids.ts'
import type { Product } from '../../../src/mcp/resolve/types.ts'
import { flag, rows, teamLine, upTo } from '../../../src/mcp/result/output.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import { teamText } from '../../../src/mcp/text/team.ts'
import { type BlockContent, hasText, isSameText, knownName, quoted } from '../../../src/mcp/text/untrusted.ts'
import { keyOrId, listed, rowTitle, unvouchedMembers, vouchedName } from '../columns.ts'
import { kept, type Kept } from '../cuts.ts'
import { shortCommit, showNames } from '../test-names.ts'
import { crumbBefore, framePath, unmappedFrames, type Event } from './events.ts'
import { describeStacks } from './stacks.ts'

export type FixContext = Received<z.output<typeof FixContextSchema>>
type ImplicatedFile = NonNullable<FixContext['files']>[number]
type Requirement = NonNullable<FixContext['requirements']>[number]

const RANGES = 6
const TESTS = 3
const CLAIMS = 2

export const requirementRows = rows({
  id: z.string(),
  coverage: z.string(),
  failing: flag,
  suspect: flag,
  title: rowTitle,
  claimed_by: upTo(teamLine, 250),
  tests: upTo(teamLine, 500),
})

/** Looks for the implicated files and those of the frames on this machine, in one search. */
export function locateFixFiles(
  { files = [], frames = [], event }: FixContext,
  local: LocalFiles | undefined,
): Promise<LocatedFiles> {
  const unmapped = unmappedFrames(event)
  const isBuilt = ({ frame_indexes: indexes = [] }: ImplicatedFile) =>
    indexes.length > 0 && indexes.every((index) => unmapped.has(index))
  const implicated = files.filter((file) => !isBuilt(file)).map(filePath)
  return locateFiles(local, [...implicated, ...frames.toReversed().map((frame) => framePath(frame, unmapped))])
}

function filePath({ path }: ImplicatedFile): string {
  return knownName(path, true) ?? ''
}

/**
 * The implicated files that are files of the repository, the most suspicious first: members gave them to the workspace,
 * or they are inside a root of this machine, under which they are named then (mcp §6.3). Any other path stays with the
 * frames.
 */
export function matchedFiles(files: readonly ImplicatedFile[], { found }: LocatedFiles) {
  return files.flatMap((implicated) => {
    const path = filePath(implicated)
    const here = found.get(path)
    const ways = [workspaceMatch(implicated), here && byEnd('this machine', here.byEnd)].filter(Boolean)
    if (path === '' || ways.length === 0) return []
    const why = implicated.reason?.replace(/_frame$/, '').replace('_', ' ')
    return [{ file: here?.file ?? path, lines: lineRanges(implicated.lines), why, matched: ways.join(', ') }]
  })
}

/** The files of rows that are on this machine. */
export function filesHere(rows: readonly { file: string }[], { found }: LocatedFiles): string[] {
  const here = new Set(Array.from(found.values(), ({ file }) => file))
  return rows.map(({ file }) => file).filter((file) => here.has(file))
}

function workspaceMatch({ exists_in_snapshot: isKnown, path_source: source }: ImplicatedFile): string | undefined {
  return isKnown === true ? byEnd('workspace', source === 'REPO_PATH_SOURCE_KNOWN_PATH') : undefined
}

function byEnd(where: string, isByEnd: boolean): string {
  return isByEnd ? `${where} (end of path)` : where
}

function lineRanges(lines: ImplicatedFile['lines'] = []): string | undefined {
  const texts = lines.flatMap(({ start, end }) => {
    if (start === undefined) return []
    return end === undefined || end === start ? `${start}` : `${start}-${end}`
  })
  const more = texts.length > RANGES ? ` and ${texts.length - RANGES} more` : ''
  return texts.length === 0 ? undefined : texts.slice(0, RANGES).join(', ') + more
}

/**
 * What the requirements say of the implicated files, and how well each is covered by tests; with the files of tests that
 * only reports name.
 */
export async function describeRequirements(requirements: readonly Requirement[], local: LocalFiles | undefined) {
  const tests = await Promise.all(requirements.map((requirement) => describeTests(requirement, local)))
  const rows = requirements.map((requirement, index) => ({
    ...requirement,
    id: keyOrId(requirement),
    coverage: requirement.coverage_state,
    claimed_by: claimingFiles(requirement),
    tests: tests[index]?.words,
  }))
  const reported = new Map(tests.flatMap((one) => one.reported).map((row) => [row.id, row]))
  return { rows, testFiles: [...reported.values()] }
}

/**
 * The first requirement that no working test covers, of those that claim the file where it crashed; one whose test fails
 * before one without a test, because that test may show this very crash.
 */
export function findUntested(
  requirements: readonly Requirement[],
  files: readonly ImplicatedFile[],
): string | undefined {
  const crashed = files.filter(({ reason }) => reason === 'crash_frame')
  const isClaimed = ({ matched_by: claims = [] }: Requirement) =>
    claims.some(
      ({ path, code_ref: ref }) => ref && hasText(path) && crashed.some((file) => isSameText(file.path, path)),
    )
  const isOpen = ({ coverage_state: state }: Requirement) => state === 'no_test' || state === 'not_run'
  const open = requirements.filter((requirement) => isOpen(requirement) && isClaimed(requirement))
  const found = open.find(({ failing }) => failing === true) ?? open[0]
  return found && keyOrId(found)
}

/** The paths that the requirement itself names: the one it matched may be an outsider's. */
function claimingFiles({ matched_by: claims = [] }: Requirement): string | undefined {
  const paths = claims.flatMap(({ code_ref: ref }) => ref?.path || [])
  if (paths.length > 0) return [...new Set(paths)].slice(0, CLAIMS).join(', ')
  return claims.length > 0 ? 'its component' : undefined
}

async function describeTests({ tests = [] }: Requirement, local: LocalFiles | undefined) {
  const shown = await Promise.all(
    tests.slice(0, TESTS).map(async (test) => {
      const { facts, reported } = await showNames(test, local)
      const id = keyOrId(test)
      const last = test.last_status === null ? 'never run' : withoutPrefix(test.last_status, 'RESULT_STATUS_')
      const file = facts.file === undefined ? '' : teamText(facts.file)
      return { words: [id, file, last ?? 'result not stated'].filter(Boolean).join(' '), id, file: reported?.file }
    }),
  )
  const words = shown.map((test) => test.words)
  return {
    words: listed(tests.length > TESTS ? [...words, `${tests.length - TESTS} more`] : words),
    reported: shown.flatMap(({ id, file }) => (file === undefined ? [] : [{ id, file }])),
  }
}

/** Where the issue occurs, the most occurrences first. */
export function describeEnvironments({ environments = [] }: FixContext) {
  return environments.map(({ environment, environment_known: known, count, share }) => ({
    environment: vouchedName(environment, known),
    events: count,
    share: share === undefined ? undefined : `${Math.round(share * 100)} %`,
  }))
}

/**
 * The releases around the bug, and the commits between the last good one and the first bad one. Of a regressed issue the
 * first bad one is the release that brought it back (contract §10.4), which is not the first one it occurred in.
 */
export function describeReleases({ releases, issue }: FixContext) {
  if (releases === undefined) return undefined
  const { first, last, last_good: good } = releases
  const range = commitRange({ releases })
  const firstBad = vouchedName(first?.title, first?.known)
  const isBack = issue?.is_regression === true
  return {
    came_back_in: isBack ? firstBad : undefined,
    first: isBack ? undefined : firstBad,
    last: vouchedName(last?.title, last?.known),
    last_good: vouchedName(good?.title, good?.known),
    commits: range && `${range.from}..${range.to}`,
  }
}

/** The commits of the last good release and of the first bad one, abbreviated; undefined unless both are known. */
export function commitRange({ releases }: Pick<FixContext, 'releases'>): { from: string; to: string } | undefined {
  const { from, to } = releases?.commit_range ?? {}
  const [first, last] = [shortCommit(from), shortCommit(to)]
  return first === undefined || last === undefined ? undefined : { from: first, to: last }
}

/** What the service took for a git ref; a longer or odder text may be an outsider's, copied into the call. */
export function gitRef({ git_ref: ref }: FixContext): string | undefined {
  return ref !== undefined && /^[\w./@+-]{1,100}$/.test(ref) ? ref : undefined
}

/** Related issues that are shown. */
export const RELATED = 3

const causes = { frame: 'same root error and place', error: 'same root error' } as const

/** Issues that share code, and which of them have the same cause. */
export function describeRelated(related: NonNullable<FixContext['related_issues']>, products: readonly Product[]) {
  return related.slice(0, RELATED).map((row) => ({
    ...row,
    id: issueName(row, products),
    same_cause: row.same_cause ? causes[row.same_cause] : undefined,
  }))
}

/** Environments and releases that the workspace does not vouch for. */
export function unvouchedNames({ environments = [], releases }: FixContext) {
  const versions = [releases?.first, releases?.last].filter(
    (release, index, both) =>
      hasText(release?.title) &&
      knownName(release.title, release.known) === undefined &&
      both.findIndex((other) => isSameText(other?.title, release.title)) === index,
  )
  return unvouchedMembers([
    ...environments
      .filter((row) => knownName(row.environment, row.environment_known) === undefined)
      .map((row) => ({ known: row.environment_known, shown: quoted`environment ${row.environment}`.cut(100) })),
    ...versions.map((release) => ({ known: release?.known, shown: quoted`release ${release?.title}`.cut(140) })),
  ])
}

const REASONS = 3

/**
 * What source maps made of the frames, why they could not do more and how to send them; undefined when there is nothing to
 * say. The reasons are the service's own sentences.
 */
export function sourceMapLine(event: Event, offers: (tool: string) => boolean): string | undefined {
  const { problems = [], frames_total: total, frames_mapped: mapped } = event.symbolication ?? {}
  if (problems.length === 0) return undefined
  // The command is named below, with the release.
  const reasons = Map.groupBy(
    problems,
    ({ reason = 'the service does not say why' }) => reason.split(/:? tracegate /)[0],
  )
  const why = Array.from(reasons, ([reason, { length }]) => `${teamText(reason ?? '')} (${length})`)
  const more = why.length > REASONS ? `; and ${why.length - REASONS} more reasons` : ''
  const head = total === undefined || mapped === undefined ? '' : `${mapped} of ${total} frames mapped: `
  const release = knownName(event.release, event.release_known) ?? 'VERSION'
  const how = offers('upload_source_map')
    ? `Send the build's maps with upload_source_map, release ${release}, then call again.`
    : `To send the build's maps: tracegate sourcemaps upload DIR --release ${release}`
  return `${head}${why.slice(0, REASONS).join('; ')}${more}. ${how}`
}

/** What the requirements say of the files, where there is none to show. */
export function requirementsNote(requirements: FixContext['requirements']): string | undefined {
  if (requirements === undefined) return 'not stated'
  return requirements.length === 0 ? 'no requirement claims these files' : undefined
}

/** Says how many files could not be matched, and why. */
export function filesNote(matched: number, implicated: readonly ImplicatedFile[] | undefined, here: LocatedFiles) {
  if (implicated === undefined) return 'not stated'
  if (implicated.length === 0) return 'no in-app frame names a file'
  const unmatched = implicated.length - matched
  if (unmatched === 0) return undefined
  const doubtful = implicated.filter((file) => isDoubtful(file, here)).length
  const doubt = doubtful === 0 ? '' : `; ${counted(doubtful, 'file')} fits several paths equally well`
  const left = here.isComplete ? '' : '; the folders of this machine are too large to search whole'
  return `${counted(unmatched, 'file')} of the frames not matched to the repository: find before editing${doubt}${left}`
}

function isDoubtful(file: ImplicatedFile, { found, several }: LocatedFiles): boolean {
  const path = filePath(file)
  return several.has(path) || (file.path_source === 'REPO_PATH_SOURCE_AMBIGUOUS' && !found.has(path))
}

const BREADCRUMBS = 15
const TAGS = 8

interface Occurrence {
  content: { [name: string]: BlockContent }
  own: Record<string, Kept>
}

/** The newest occurrence for the untrusted block, and how much of its lists is shown. */
export function describeOccurrence({ event, frames = [], reproduction }: FixContext, here: LocatedFiles): Occurrence {
  if (event === null || event === undefined) return { content: {}, own: {} }
  const { exceptions, shown, total } = describeStacks(event, frames, here)
  const { breadcrumbs: crumbs = [], tags = [] } = event
  const { method, url } = reproduction?.request ?? {}
  return {
    content: {
      // An exception says it already.
      message: total > 0 ? undefined : quoted`${event.message}`.cut(1000).keepLines(),
      exceptions,
      breadcrumbs: crumbs.slice(-BREADCRUMBS).map((crumb) => crumbBefore(event.timestamp, crumb)),
      request: hasText(url) ? quoted`${method} ${url}` : undefined,
      transaction: quoted`${reproduction?.transaction}`,
      tags: tags.slice(0, TAGS).map(({ key, value }) => quoted`${key}=${value}`.cut(120)),
    },
    own: { exceptions: { shown, total }, breadcrumbs: kept(crumbs, BREADCRUMBS), tags: kept(tags, TAGS) },
  }
}
