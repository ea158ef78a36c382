import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import type { AgentRun } from '../../../src/mcp/resolve/types.ts'

const OVER: ReadonlySet<string> = new Set([
  'AGENT_RUN_STATE_SUCCEEDED',
  'AGENT_RUN_STATE_FAILED',
  'AGENT_RUN_STATE_CANCELLED',
  'AGENT_RUN_STATE_TIMED_OUT',
])

/** Whether a run has ended; one whose state is not stated, or not known here, has if the time of its end is stated. */
export function isOver({ state, finished_at: end }: Pick<AgentRun, 'state' | 'finished_at'>): boolean {
  return (state !== undefined && OVER.has(state)) || (end !== undefined && end !== null)
}

/** `succeeded`, `timed_out`; undefined where the state is not stated. */
export function stateWord(state: string | undefined): string | undefined {
  return withoutPrefix(state, 'AGENT_RUN_STATE_')
}

/** Whole seconds from the start of a run to its end; undefined without both, or if the clock was set back between them. */
export function runSeconds({ started_at: start, finished_at: end }: AgentRun): number | undefined {
  if (!start || !end) return undefined
  const seconds = Math.round((Date.parse(end) - Date.parse(start)) / 1000)
  return seconds < 0 ? undefined : seconds
}

/** ` succeeded after 3 s.`: how a run stands, to follow its name in a sentence, and what to do after a failure. */
export function stateSentence(run: AgentRun): string {
  const { state, error } = run
  const seconds = runSeconds(run)
  const after = !seconds ? '' : ` after ${String(seconds)} s`
  const why = error?.code === undefined ? '' : `: ${error.code}`
  switch (state) {
    case undefined:
      return ': its state is not stated.'
    case 'AGENT_RUN_STATE_QUEUED':
      return ' is queued and has not started.'
    case 'AGENT_RUN_STATE_RUNNING':
      return ` is running${progressWords(run)}.`
    case 'AGENT_RUN_STATE_CANCELLING':
      return ' is being cancelled.'
    case 'AGENT_RUN_STATE_CANCELLED':
      return ` was cancelled${after}.`
    case 'AGENT_RUN_STATE_SUCCEEDED':
      return ` succeeded${after}.`
    case 'AGENT_RUN_STATE_TIMED_OUT':
      return ` timed out${after}. Start it with a narrower input, or with a config that has more timeout_seconds.`
    case 'AGENT_RUN_STATE_FAILED':
      return ` failed${after}${why}. ${remedies[error?.code ?? ''] ?? OTHER_REMEDY}`
    default:
      return ` has the state ${String(stateWord(state))}.`
  }
}

/** Whether a run states that it has done something, or how much it has to do. */
export function hasProgress({ progress }: Pick<AgentRun, 'progress'>): boolean {
  return Boolean(progress?.done) || Boolean(progress?.total)
}

/** `, issues: 40 of 200` */
function progressWords({ progress }: Pick<AgentRun, 'progress'>): string {
  const { phase, done, total } = progress ?? {}
  if (done === undefined || !hasProgress({ progress })) return ''
  const what = phase === undefined || phase === '' ? '' : ` ${phase}:`
  return `,${what} ${String(done)}${total ? ` of ${String(total)}` : ''}`
}

const OTHER_REMEDY = 'Its events say how far it came; start it again if the input is right.'

/** What to do after a failure, by its code. */
const remedies: Readonly<Record<string, string>> = {
  PROCESS_RESTARTED: 'The service stopped while it ran; start it again.',
}
