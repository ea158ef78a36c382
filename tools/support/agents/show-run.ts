import type * as z from 'zod'
import type { Context } from '../../../src/mcp/define/define.ts'
import { configArgument, configLabel } from '../../../src/mcp/resolve/find-agent.ts'
import { ifOffered, notOfferedSentence } from '../../../src/mcp/resolve/offered.ts'
import type { AgentConfig, AgentRun, Product } from '../../../src/mcp/resolve/types.ts'
import type { Answer } from '../../../src/mcp/result/answer.ts'
import { quoted, quotedData } from '../../../src/mcp/text/untrusted.ts'
import { cutNames } from '../cuts.ts'
import { ifReadable } from '../writes/outcome.ts'
import { eventRows, readEvents, type Events } from './events.ts'
import { nextSteps } from './next-steps.ts'
import { agentRun, type runOutput } from './run-output.ts'
import { hasProgress, isOver, runSeconds, stateSentence } from './states.ts'

interface Read {
  run: AgentRun
  product: Product
  /** The number of the last event that the caller has seen. */
  after?: number | undefined
  /** Events that are shown at most. */
  limit: number
}

/** Reads the newest events of a run and its config, and describes how it stands. */
export async function showRun({ run, product, after = 0, limit }: Read, context: Context): Promise<RunAnswer> {
  const [events, config] = await Promise.all([
    ifOffered(readEvents(run, { after, limit }, context)),
    ifReadable(readConfig(run, context)),
  ])
  const shown = describeRun({ run, product, config, events })
  return { ...shown, answer: `${shown.answer}${notOfferedSentence([events === undefined && 'events of runs'])}` }
}

type RunAnswer = Answer<z.input<typeof runOutput>>

interface Described {
  run: AgentRun
  product: Product
  /** Undefined where it cannot be read. */
  config: AgentConfig | undefined
  /** Undefined where they are not read. */
  events: Events | undefined
}

/** How a run stands: its state, newest events and output, and what it leads to. */
export function describeRun({ run, product, config, events }: Described): RunAnswer {
  const lastEvent = events?.last ?? run.last_sequence
  return {
    answer: `${runName(run, config)}${stateSentence(run)}`,
    product,
    data: {
      run: runFacts(run, config),
      progress: isOver(run) || !hasProgress(run) ? undefined : run.progress,
      last_event: lastEvent,
    },
    untrusted: {
      ...agentRun,
      content: {
        summary: run.summary && quoted`${run.summary}`.cut(500),
        error: run.error?.message && quoted`${run.error.message}`,
        events: eventRows(events?.rows ?? []),
        output: run.output ? quotedData(run.output) : undefined,
      },
    },
    cut: [
      ...cutNames(run.truncation_signals ?? [], { events: events?.kept ?? { shown: 0, total: 0 } }),
      ...(events?.unread ? [`events up to ${String(events.unread)}: not read`] : []),
    ],
    next: nextSteps({ run, product, config: config ? configArgument(config) : run.agent_config_id, lastEvent }),
  }
}

function runFacts(run: AgentRun, config: AgentConfig | undefined) {
  return {
    ...run,
    type: run.agent_type_id,
    config: config?.name,
    // A name costs less, and calls take it as well (decision 013).
    config_id: config === undefined || configArgument(config) === config.id ? run.agent_config_id : undefined,
    started_by: run.started_by?.display_name,
    seconds: runSeconds(run),
  }
}

/** `The agent run of Nightly (issue_triage)`, as the subject of a sentence. */
function runName({ agent_type_id: type }: AgentRun, config: AgentConfig | undefined): string {
  const name = config === undefined ? '' : configLabel(config)
  const words = name === '' || name === type ? (type ?? '') : `${name}${type === undefined ? '' : ` (${type})`}`
  return words === '' ? 'The agent run' : `The agent run of ${words}`
}

async function readConfig(
  { agent_config_id: id }: AgentRun,
  { api, signal }: Context,
): Promise<AgentConfig | undefined> {
  return id === undefined ? undefined : (await api.getAgentConfig({ id }, { signal })).agent_config
}
