import { counted } from '../../../../lib/counted.ts'
import { dayMs, timestamp } from '../../../shared/times.ts'
import { createTruncationNotes, keepFirst } from '../../../shared/truncation-notes.ts'
import { chunks } from '../../../sql/chunks.ts'
import type { Rows } from '../../../sql/database.ts'
import { environmentNames } from '../../../workspace/releases/names.ts'
import { defineAgent, type AgentContext, type AgentResult } from '../../define.ts'
import { requireNamedEnvironment } from '../../named.ts'
import { viewNamedTest } from '../../named-test.ts'
import { keepFitting } from '../../output-size.ts'
import { findBroken, findFlips } from './history.ts'
import { applyQuarantine } from './quarantine.ts'
import { readCases, readProved, readRuns } from './read.ts'
import { Input, Output, type Options, type OutputBody } from './schema.ts'
import { viewBrokenCase, viewFlaky, type Judged } from './view.ts'

/** Cases read at once: one of them may have a thousand results in the window. */
const CASES = 50

/** What each list may use of the output. */
const SHARES = { flaky: 0.6, tooFewRuns: 0.1, broken: 0.2 }

export const flakyScan = defineAgent({
  id: 'flaky_scan',
  title: 'Flaky scan',
  description:
    'Finds test cases that pass and fail on the same commit, with the commits as evidence and what each case proves, ' +
    'and tells them apart from cases that have failed since a commit. Suggests which to quarantine; with `apply` it quarantines them.',
  version: '1.0.0',
  reads: ['tests', 'test_results', 'requirements'],
  writes: ['tests'],
  input: Input,
  output: Output,
  async run(context, input) {
    const found = await scan(context, input)
    for (const { key, id, flips, runs, suggestion } of found.output.flaky) {
      const message = `${key} flipped in ${String(flips)} of ${counted(runs, 'run')}.`
      await context.finding(message, { test_id: id, test_key: key, flips, runs, action: suggestion.action })
    }
    if (!input.apply) return { ...found, summary: summarise(found.output, input) }
    return {
      async commit(write) {
        const quarantined = await applyQuarantine(context, write, found.output.flaky, input)
        const output = { ...found.output, quarantined }
        return { ...found, output, summary: summarise(output, input) }
      },
    }
  },
})

async function scan(
  context: AgentContext,
  input: Options,
): Promise<Pick<AgentResult, 'truncationSignals'> & { output: OutputBody }> {
  const { rows, product, now } = context
  const since = now - Number.parseInt(input.window, 10) * dayMs
  const environment =
    input.environment === undefined ? undefined : await requireNamedEnvironment(rows, product.id, input.environment)
  const cases = await readCases(rows, product.id)
  const judged: Judged[] = []
  let done = 0
  for (const chunk of chunks(cases, CASES)) {
    await context.progress({ phase: 'tests', done, total: cases.length })
    const ids = chunk.map(({ id }) => id)
    const runs = await readRuns(rows, ids, { since, until: now, environmentId: environment?.id })
    for (const test of chunk) {
      const own = runs.get(test.id) ?? []
      const [flips, broken] = [findFlips(own), findBroken(own)]
      if (flips.length > 0 || broken !== undefined) judged.push({ test, runs: own, flips, broken })
    }
    done += chunk.length
  }
  await context.progress({ phase: 'tests', done, total: cases.length })
  const view = await viewJudged(context, judged, input)
  const window = { from: timestamp(since), to: timestamp(now) }
  return { ...view, output: { window, scanned: cases.length, ...view.output, quarantined: [] } }
}

async function viewJudged(
  { rows, now }: AgentContext,
  judged: readonly Judged[],
  { min_runs: minRuns, limit }: Options,
) {
  const notes = createTruncationNotes()
  const flipped = judged.filter(({ flips }) => flips.length > 0).toSorted(byFlips)
  const enough = flipped.filter(({ runs }) => runs.length >= minRuns)
  const fewer = flipped.filter(({ runs }) => runs.length < minRuns)
  const steady = judged
    .flatMap(({ test, flips, broken }) => (flips.length === 0 && broken !== undefined ? [{ test, broken }] : []))
    .toSorted((a, b) => a.broken.since.at - b.broken.since.at || a.test.number - b.test.number)
  const shown = keepFirst(notes, 'flaky', enough, limit)
  const shownBroken = keepFirst(notes, 'broken', steady, limit)
  const ids = [...shown, ...shownBroken].map(({ test }) => test.id)
  const proved = await readProved(rows, ids, now)
  const environments = await nameEnvironments(rows, shown)
  const flaky = shown.map((one) => viewFlaky(one, { proved: proved.get(one.test.id) ?? [], environments, now, notes }))
  const broken = shownBroken.map((one) => viewBrokenCase(one, proved.get(one.test.id) ?? [], notes))
  const few = fewer.map(({ test, runs, flips }) => ({ ...viewNamedTest(test), runs: runs.length, flips: flips.length }))
  const output = {
    totals: { flaky: enough.length, too_few_runs: fewer.length, broken: steady.length },
    flaky: keepFitting(notes, 'flaky', flaky, { share: SHARES.flaky }),
    too_few_runs: keepFitting(notes, 'too_few_runs', few, { share: SHARES.tooFewRuns, max: limit }),
    broken: keepFitting(notes, 'broken', broken, { share: SHARES.broken }),
  }
  return { output, truncationSignals: notes.list() }
}

/** The names of the environments of the runs, by id. */
async function nameEnvironments(rows: Rows, judged: readonly Judged[]): Promise<Map<string, string>> {
  const ids = judged.flatMap(({ runs }) => runs.map(({ environmentId }) => environmentId))
  const named = await environmentNames(rows, ids)
  return new Map(Array.from(named, ([id, { name }]) => [id, name]))
}

function byFlips(one: Judged, other: Judged): number {
  return (
    other.flips.length - one.flips.length || one.runs.length - other.runs.length || one.test.number - other.test.number
  )
}

function summarise({ flaky, totals, broken, scanned, quarantined }: OutputBody, input: Options): string {
  const cut = flaky.length < totals.flaky ? `; the output has ${String(flaky.length)} of them` : ''
  return [
    `${counted(totals.flaky, 'flaky case')} of ${String(scanned)}, with at least ${counted(input.min_runs, 'run')} each${cut}.`,
    ...(totals.too_few_runs > 0
      ? [`${String(totals.too_few_runs)} more flipped in fewer runs; min_runs 1 shows their evidence.`]
      : []),
    ...(totals.broken > 0
      ? [`${counted(totals.broken, 'case has', 'cases have')} failed in each run since a commit.`]
      : []),
    ...(input.apply ? applied(quarantined.length, input) : nextStep(flaky, broken)),
  ].join(' ')
}

function nextStep(flaky: OutputBody['flaky'], [longest]: OutputBody['broken']): string[] {
  const suggested = flaky.filter(({ suggestion }) => suggestion.action === 'QUARANTINE').length
  const [first] = flaky
  if (suggested > 0 && first !== undefined)
    return [`Next: fix ${first.key}, or run again with apply and owner to quarantine ${counted(suggested, 'case')}.`]
  return longest === undefined ? [] : [`Next: fix ${longest.key}, which has failed the longest.`]
}

function applied(count: number, { days }: Options): string[] {
  if (count === 0) return ['Nothing was quarantined.']
  return [
    `${counted(count, 'case is', 'cases are')} in quarantine for ${counted(days, 'day')}.`,
    'Each counts as an unreviewed exclusion until a person has reviewed it.',
  ]
}
