import { counted } from '../../../../lib/counted.ts'
import { dayMs, timestamp } from '../../../shared/times.ts'
import { createTruncationNotes, keepFirst } from '../../../shared/truncation-notes.ts'
import { chunks } from '../../../sql/chunks.ts'
import { environmentNames } from '../../../workspace/releases/names.ts'
import { defineAgent, type AgentContext, type AgentResult } from '../../define.ts'
import { requireNamedEnvironment } from '../../named.ts'
import { findBroken, findFlips } from './history.ts'
import { applyQuarantine } from './quarantine.ts'
import { readCases, readProved, readRuns } from './read.ts'
import { Input, Output, type Options, type OutputBody } from './schema.ts'
import { viewBroken, viewFlaky, viewTest, type Judged } from './view.ts'

/** Cases read at once: one of them may have a thousand results in the window. */
const CASES = 50

export const flakyScan = defineAgent({
  id: 'flaky_scan',
  title: 'Find flaky tests',
  description:
    'Finds test cases that pass and fail on the same commit, with the commits as evidence and what each case proves, ' +
    'and tells them apart from cases that have failed since a commit. Suggests which to quarantine; with apply it does so.',
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
  const broken = judged
    .flatMap(({ test, flips, broken: found }) => (flips.length === 0 && found !== undefined ? [{ test, found }] : []))
    .toSorted((a, b) => a.found.since.at - b.found.since.at || a.test.number - b.test.number)
  const shown = keepFirst(notes, 'flaky', enough, limit)
  const shownBroken = keepFirst(notes, 'broken', broken, limit)
  const ids = [...shown, ...shownBroken].map(({ test }) => test.id)
  const proved = await readProved(rows, ids, now)
  const named = await environmentNames(
    rows,
    shown.flatMap(({ runs }) => runs.map(({ environmentId }) => environmentId)),
  )
  const environments = new Map(Array.from(named, ([id, { name }]) => [id, name]))
  const output = {
    totals: { flaky: enough.length, too_few_runs: fewer.length, broken: broken.length },
    flaky: shown.map((one) => viewFlaky(one, { proved: proved.get(one.test.id) ?? [], environments, now })),
    too_few_runs: keepFirst(notes, 'too_few_runs', fewer, limit).map(({ test, runs, flips }) => ({
      ...viewTest(test),
      runs: runs.length,
      flips: flips.length,
    })),
    broken: shownBroken.map(({ test, found }) => ({
      ...viewTest(test),
      broken_since: viewBroken(found),
      requirement_keys: (proved.get(test.id) ?? []).map(({ key }) => key),
    })),
  }
  return { output, truncationSignals: notes.list() }
}

function byFlips(one: Judged, other: Judged): number {
  return (
    other.flips.length - one.flips.length || one.runs.length - other.runs.length || one.test.number - other.test.number
  )
}

function summarise({ flaky, totals, broken, scanned, quarantined }: OutputBody, input: Options): string {
  const { flaky: many, too_few_runs: fewer, broken: failing } = totals
  const flipped = `${String(many)} of ${counted(scanned, 'case')} flipped on one commit in at least ${counted(input.min_runs, 'run')}`
  return [
    `${flipped}${flaky.length < many ? `; the output has ${String(flaky.length)}` : ''}.`,
    ...(fewer > 0 ? [`${String(fewer)} flipped in fewer runs; min_runs 1 shows their evidence.`] : []),
    ...(failing > 0 ? [`${String(failing)} ${failing === 1 ? 'has' : 'have'} failed since a commit.`] : []),
    ...(input.apply ? applied(quarantined.length, input) : nextStep(flaky, broken)),
  ].join(' ')
}

function nextStep(flaky: OutputBody['flaky'], [longest]: OutputBody['broken']): string[] {
  const suggested = flaky.filter(({ suggestion }) => suggestion.action === 'QUARANTINE').length
  const [first] = flaky
  if (suggested > 0 && first !== undefined)
    return [
      `Next: mend ${first.key} first, or run again with apply and owner to quarantine ${counted(suggested, 'case')}.`,
    ]
  return longest === undefined ? [] : [`Next: fix ${longest.key}, which has failed the longest.`]
}

function applied(count: number, { days }: Options): string[] {
  if (count === 0) return ['Nothing was quarantined.']
  return [
    `${String(count)} put in quarantine for ${counted(days, 'day')}.`,
    `Each is an unreviewed exclusion: a person has to review it before the quality gate passes.`,
  ]
}
