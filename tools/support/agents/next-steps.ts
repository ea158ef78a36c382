import { UUID } from '../../../src/mcp/resolve/ids.ts'
import type { AgentRun, Product } from '../../../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { isShowable } from '../../../src/mcp/result/teach.ts'
import { textMatching, untrustedMember } from '../../../src/mcp/text/untrusted.ts'
import { isOver } from './states.ts'

/** Seconds that a proposed call waits. */
export const WAIT_SECONDS = 20

interface Continued {
  run: AgentRun
  product: Product
  /** What calls name its config by; undefined where it is not stated. */
  config: string | undefined
  /** The number of the newest event; undefined where it is not stated. */
  lastEvent: number | undefined
}

/** The calls that may follow a run: to wait for it or cancel it, or what its result is for. From ids of the run alone. */
export function nextSteps({ run, product: { id: product }, config, lastEvent }: Continued): (NextAction | undefined)[] {
  const { id, state, agent_type_id: type = '', branch_id: branch } = run
  if (!isOver(run)) {
    const after = lastEvent === undefined ? {} : { after_event: lastEvent }
    return [
      nextCall('get_agent_run', { run: id, ...after, wait_seconds: WAIT_SECONDS }, 'waits for its end'),
      nextCall('cancel_agent_run', { run: id }, 'only if the user wants it to stop'),
    ]
  }
  if (state !== 'AGENT_RUN_STATE_SUCCEEDED') {
    // Whether to start it again is the user's decision, so no result proposes it.
    return [config === undefined ? undefined : nextCall('get_agent_config', { product, config }, 'its input')]
  }
  return [
    branch
      ? nextCall('review_branch', { product, branch }, 'what the run drafted, before a person merges it')
      : undefined,
    ...(followers[type]?.({ product, input: run.input ?? {}, output: run.output ?? undefined }) ?? []),
  ]
}

interface Finished {
  product: string
  input: Readonly<Record<string, unknown>>
  output: NonNullable<AgentRun['output']> | undefined
}

/** What the result of each agent type is for. */
const followers: Readonly<Record<string, (run: Finished) => NextAction[]>> = {
  coverage_gap_scan: ({ product }) => [nextCall('find_coverage_gaps', { product }, 'the gaps as they are now')],
  issue_triage: ({ product }) => [nextCall('find_error_issues', { product }, 'the issues, to set their status')],
  gate_watch: ({ product, input }) => verdictStep({ product, ...scopeIn(input) }, 'the whole verdict'),
  regression_bisect: ({ product, input }) => [issueStep(product, input)],
  link_suggester: ({ product }) => [
    nextCall('find_coverage_gaps', { product }, 'requirements that still have no test'),
  ],
  flaky_scan: ({ product }) => [nextCall('list_tests', { product, status: 'flaky' }, 'the flaky tests')],
  suspect_link_audit: ({ product }) => [nextCall('find_coverage_gaps', { product }, 'suspect links among the gaps')],
  requirement_lint: ({ product, input }) => [lintStep(product, nameIn(input, 'branch'))],
  sourcemap_doctor: ({ product, input }) => [issueStep(product, input)],
  release_digest: ({ product, input, output }) =>
    verdictStep({ product, release: releaseIn(output), ...scopeIn(input) }, 'whether it can ship'),
}

/** The verdict of a scope; none where a member of it cannot be named, because that would be another scope. */
function verdictStep(args: Readonly<Record<string, string | null | undefined>>, why: string): NextAction[] {
  const named = Object.values(args).every((value) => value !== null)
  return named ? [nextCall('get_quality_gate', only(args), why)] : []
}

/** Where the requirements are reworded: on the branch that the input names, else in the main tree. */
function lintStep(product: string, branch: string | undefined): NextAction {
  return branch === undefined
    ? nextCall('list_requirements', { product }, 'the requirements to reword')
    : nextCall('review_branch', { product, branch }, 'the drafts to reword')
}

/** The issue that the input names, else the issues. */
function issueStep(product: string, input: Finished['input']): NextAction {
  const issue = nameIn(input, 'issue')
  if (issue !== undefined) return nextCall('get_fix_context', { product, issue }, 'the issue with its releases')
  const filter = only({ environment: nameIn(input, 'environment') })
  return nextCall('find_error_issues', { product, ...filter }, 'the issues')
}

/** The scope that the input names: a version alone is judged where it is in production (decision 124). */
function scopeIn(input: Finished['input']): Readonly<Record<string, string | null>> {
  const members = { release: 'release', environment: 'environment', commit: 'commit_sha', git_branch: 'git_branch' }
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) =>
      input[member] === undefined ? [] : [[name, nameIn(input, member) ?? null]],
    ),
  )
}

/** The release that a digest is about, by id: without one in its input it chose the newest. */
function releaseIn(output: Finished['output']): string | undefined {
  const release = untrustedMember(untrustedMember(output, 'release'), 'release')
  return textMatching(untrustedMember(release, 'id'), UUID)
}

/** A key, name or id in the input of a run. Members wrote it, so only a harmless one is repeated. */
function nameIn(input: Readonly<Record<string, unknown>>, member: string): string | undefined {
  const name = input[member]
  return typeof name === 'string' && /^\S+$/.test(name) && isShowable(name) ? name : undefined
}

function only(args: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, value]])),
  )
}
