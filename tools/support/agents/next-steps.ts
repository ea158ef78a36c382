import { isUuid } from '../../../src/mcp/resolve/ids.ts'
import type { AgentRun, Product } from '../../../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { isShowable } from '../../../src/mcp/result/teach.ts'
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
    ...(followers[type]?.({ product, input: run.input ?? {} }) ?? []),
  ]
}

interface Finished {
  product: string
  input: Readonly<Record<string, unknown>>
}

/** What the result of each agent type is for. */
const followers: Readonly<Record<string, (run: Finished) => NextAction[]>> = {
  coverage_gap_scan: ({ product }) => [nextCall('find_coverage_gaps', { product }, 'the gaps as they are now')],
  issue_triage: ({ product }) => [nextCall('find_error_issues', { product }, 'the issues, to set their status')],
  gate_watch: ({ product, input }) => [nextCall('get_quality_gate', { product, ...scope(input) }, 'the whole verdict')],
  regression_bisect: ({ product, input }) => [issueStep(product, input)],
  link_suggester: ({ product }) => [
    nextCall('find_coverage_gaps', { product }, 'requirements that still have no test'),
  ],
  flaky_scan: ({ product }) => [nextCall('list_tests', { product, status: 'flaky' }, 'the flaky tests')],
  suspect_link_audit: ({ product }) => [nextCall('find_coverage_gaps', { product }, 'suspect links among the gaps')],
  requirement_lint: ({ product, input }) => [lintStep(product, nameIn(input, 'branch'))],
  sourcemap_doctor: ({ product, input }) => [issueStep(product, input)],
  release_digest: ({ product, input }) => [
    nextCall('get_quality_gate', { product, ...scope(input) }, 'whether it can ship'),
  ],
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

/** The scope that the input names. A version may be in several environments, so without one of them it is left out. */
function scope(input: Finished['input']): Readonly<Record<string, string>> {
  const [release = '', environment] = [nameIn(input, 'release'), nameIn(input, 'environment')]
  const isOne = environment !== undefined || isUuid(release)
  return only({ release: isOne ? release || undefined : undefined, environment })
}

/** A key, name or id in the input of a run. Members wrote it, so only a harmless one is repeated. */
function nameIn(input: Readonly<Record<string, unknown>>, member: string): string | undefined {
  const name = input[member]
  return typeof name === 'string' && /^\S+$/.test(name) && isShowable(name) ? name : undefined
}

function only(args: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
