import { counted } from '../../../lib/counted.ts'
import type { IssueBody } from '../cases/issues.ts'
import type { CoverageBody } from '../coverage/rule.ts'
import type { Exposure, ExposureWindow, LiveIssue } from './exposure.ts'
import type { GapTypeName } from './score.ts'

const windowWords: Readonly<Record<ExposureWindow, string>> = {
  '1d': 'the last day',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
}

export interface ReasonFacts {
  type: GapTypeName
  /** Undefined for a file. */
  coverage: CoverageBody | undefined
  /** Those that its failing tests reproduce. */
  issues: readonly IssueBody[]
  priority: string
  risk: string
  exposure: Exposure
  window: ExposureWindow
}

/** Why something is a gap and why it ranks where it does, in our own words: never quotes events or reports. */
export function gapReasons({ type, coverage, issues, priority, risk, exposure, window }: ReasonFacts): string[] {
  return [
    ...openReasons(type, coverage),
    ...(type === 'GAP_TYPE_FAILING' ? reproducedReasons(issues) : []),
    ...(coverage?.suspect === true && type !== 'GAP_TYPE_SUSPECT' ? [suspectWords] : []),
    ...importanceReasons(priority, risk),
    ...exposureReasons(exposure, window),
  ]
}

const suspectWords = 'it has changed since its tests were linked: review the tests and confirm the link'

function openReasons(type: GapTypeName, coverage: CoverageBody | undefined): string[] {
  const linked = coverage?.linked_test_count ?? 0
  const tests = counted(linked, 'linked test')
  switch (type) {
    case 'GAP_TYPE_NO_TEST':
      return ['no test is linked to it']
    case 'GAP_TYPE_FAILING':
      return [`${String(coverage?.failed_count ?? 0)} of ${tests} failed in the newest run`]
    case 'GAP_TYPE_NOT_RUN':
      return unrunReasons(coverage, tests)
    case 'GAP_TYPE_STALE':
      return [`the results of ${String(coverage?.not_run_count ?? 0)} of ${tests} are too old to count`]
    case 'GAP_TYPE_PARTIAL_CRITERIA':
      return [
        `${counted(coverage?.uncovered_criterion_ids.length ?? 0, 'acceptance criterion', 'acceptance criteria')} without a test`,
      ]
    case 'GAP_TYPE_SUSPECT':
      return [suspectWords]
    case 'GAP_TYPE_UNCLAIMED_HOT_FILE':
      return ['errors occur in this file and no requirement claims it']
  }
}

/** Counts skipped tests separately from tests that never ran. */
function unrunReasons(coverage: CoverageBody | undefined, tests: string): string[] {
  const { not_run_count: unrun = 0, skipped_count: skipped = 0 } = coverage ?? {}
  const words = [
    [skipped, 'skipped in the newest run'],
    [unrun - skipped, 'not run'],
  ] as const
  return words.flatMap(([count, what]) => (count > 0 ? [`${String(count)} of ${tests} ${what}`] : []))
}

/** A test that is red because of a known issue is right. */
function reproducedReasons(issues: readonly IssueBody[]): string[] {
  const keys = (isResolved: boolean) =>
    issues.filter(({ status }) => (status === 'resolved') === isResolved).map((issue) => issue.short_id)
  const [open, resolved] = [keys(false), keys(true)]
  return [
    ...(open.length === 0 ? [] : [`red for ${open.join(', ')}: fix the code`]),
    ...(resolved.length === 0
      ? []
      : [
          `red for ${resolved.join(', ')}, which ${resolved.length === 1 ? 'is' : 'are'} resolved: run it again, or reopen`,
        ]),
  ]
}

function importanceReasons(priority: string, risk: string): string[] {
  const words = [
    [priority, 'PRIORITY_', 'priority'],
    [risk, 'RISK_LEVEL_', 'risk'],
  ] as const
  return words.flatMap(([value, prefix, name]) => {
    const level = value.slice(prefix.length).toLowerCase()
    return level === 'critical' || level === 'high' ? [`${level} ${name}`] : []
  })
}

function exposureReasons({ matched, nearby, doubted }: Exposure, window: ExposureWindow): string[] {
  const sum = (issues: Exposure['matched']) => issues.reduce((total, { events }) => total + events, 0)
  const tell = (issues: Exposure['matched'], where: string) => {
    const events = counted(sum(issues), 'error event')
    return `${events} of ${counted(issues.length, 'issue')} in ${where} in ${windowWords[window]}`
  }
  const more = `${String(sum(nearby))} more of ${counted(nearby.length, 'issue')} elsewhere in its component`
  return [
    ...(matched.length === 0 ? [] : [tell(matched, 'its files')]),
    ...(nearby.length === 0 ? [] : [matched.length === 0 ? tell(nearby, 'its component') : more]),
    ...tellDoubted(doubted, 'suspicious', ['its text looks like instructions', 'their text looks like instructions']),
    ...tellDoubted(doubted, 'contradicted', [
      'the code it claims is not in your sources',
      'the code they claim is not in your sources',
    ]),
  ]
}

function tellDoubted(
  doubted: Exposure['doubted'],
  doubt: LiveIssue['doubt'],
  [one, several]: readonly [string, string],
): string[] {
  const { length } = doubted.filter((issue) => issue.doubt === doubt)
  if (length === 0) return []
  return [length === 1 ? `1 more issue is not counted: ${one}` : `${length} more issues are not counted: ${several}`]
}
