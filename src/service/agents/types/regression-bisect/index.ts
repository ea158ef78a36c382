import { counted } from '../../../../lib/counted.ts'
import { createTruncationNotes, keepFirst } from '../../../shared/truncation-notes.ts'
import { defineAgent, type AgentContext } from '../../define.ts'
import { keepFitting } from '../../output-size.ts'
import {
  readCrashFiles,
  readEnvironments,
  readNamedIssue,
  readNewIssues,
  readPlaces,
  readPresences,
  type BisectedIssue,
} from './read.ts'
import { orderLines } from './release-lines.ts'
import { input, output, type BisectionBody } from './schema.ts'
import { viewBisection, type Facts, type ViewedBisection } from './view.ts'
import { listSome, shown } from './words.ts'

/** First bad releases that the summary names. */
const MOST_NAMED = 3

export const regressionBisect = defineAgent({
  id: 'regression_bisect',
  title: 'Regression bisect',
  description:
    'Finds the release in which an issue began, or came back after it was resolved: the first bad and the last good release, their commits, events per day of each release, and how sure that is. Only releases that a token made known count.',
  version: '1.0.0',
  reads: ['issues', 'releases', 'environments'],
  writes: [],
  input,
  output,
  async run(context, asked) {
    const { rows, product, now } = context
    const notes = createTruncationNotes()
    const environments = await readEnvironments(rows, product.id, asked.environment)
    const [only] = asked.environment === undefined ? [] : environments
    const issues =
      asked.issue === undefined
        ? keepFirst(
            notes,
            'issues',
            await readNewIssues(rows, product.id, { environmentId: only?.id, now }),
            asked.limit,
          )
        : await readNamedIssue(rows, product, asked.issue)
    const facts = await readFacts(context, { environments, issues, onlyId: only?.id })
    const viewed = await bisectAll(context, issues, facts)
    const found = viewed.map(({ body }) => body)
    const byRelease = groupByRelease(found)
    return {
      summary: summarise(viewed, byRelease, only?.name),
      output: {
        environment: only === undefined ? null : { id: only.id, name: only.name },
        counts: countKinds(found),
        first_bad_releases: keepFitting(notes, 'first_bad_releases', byRelease, { share: 0.15 }),
        issues: keepFitting(notes, 'issues', found.toSorted(byConfidence), { share: 0.8 }),
      },
      truncationSignals: notes.list(),
    }
  },
})

async function readFacts(
  { rows, product, now, progress }: AgentContext,
  { environments, issues, onlyId }: Pick<Facts, 'environments' | 'onlyId'> & { issues: readonly BisectedIssue[] },
): Promise<Facts> {
  await progress({ phase: 'releases', done: 0, total: 0 })
  const ids = issues.map(({ id }) => id)
  const environmentIds = environments.map(({ id }) => id)
  const places = await readPlaces(rows, environmentIds)
  return {
    environments,
    known: { places: new Map(places.map((place) => [place.id, place])), lines: orderLines(places) },
    presences: await readPresences(rows, ids),
    files: await readCrashFiles(rows, ids),
    keyPrefix: product.key_prefix,
    onlyId,
    now,
  }
}

async function bisectAll(
  { progress, finding }: AgentContext,
  issues: readonly BisectedIssue[],
  facts: Facts,
): Promise<ViewedBisection[]> {
  const found: ViewedBisection[] = []
  for (const [done, issue] of issues.entries()) {
    await progress({ phase: 'issues', done, total: issues.length })
    const bisection = viewBisection(issue, facts)
    found.push(bisection)
    await finding(bisection.why, findingData(bisection))
  }
  await progress({ phase: 'issues', done: issues.length, total: issues.length })
  return found
}

/** HIGH first, otherwise as they were. */
function byConfidence(left: BisectionBody, right: BisectionBody): number {
  return Number(right.confidence === 'HIGH') - Number(left.confidence === 'HIGH')
}

function findingData({ body: { issue, kind, first_bad, last_good, commits, confidence }, next }: ViewedBisection) {
  return { issue: { id: issue.id, key: issue.key }, kind, first_bad, last_good, commits, confidence, next }
}

/** The issues with confidence HIGH by first bad release. */
function groupByRelease(found: readonly BisectionBody[]) {
  const sure = found.filter(({ confidence }) => confidence === 'HIGH')
  const groups = Map.groupBy(sure, (each) => each.first_bad?.version ?? '')
  return [...groups]
    .map(([version, some]) => ({ version, issues: some.map(({ issue }) => issue.key) }))
    .toSorted((left, right) => right.issues.length - left.issues.length)
}

function countKinds(found: readonly BisectionBody[]) {
  const count = (kind: BisectionBody['kind']) => found.filter((each) => each.kind === kind).length
  return {
    issues: found.length,
    high: found.filter(({ confidence }) => confidence === 'HIGH').length,
    introduced: count('INTRODUCED'),
    came_back: count('CAME_BACK'),
    in_oldest_release: count('IN_OLDEST_RELEASE'),
    unknown: count('UNKNOWN'),
  }
}

function summarise(
  found: readonly ViewedBisection[],
  byRelease: ReturnType<typeof groupByRelease>,
  environment: string | undefined,
): string {
  const [first] = found
  if (first === undefined) {
    const where = environment === undefined ? '' : ` in ${environment}`
    return `No open fatal or error issue${where} is new or came back in the last 14 days.`
  }
  if (found.length === 1) return `${first.why} Confidence ${first.body.confidence}. ${first.next}`
  const sure = found.filter(({ body }) => body.confidence === 'HIGH')
  const named = byRelease
    .slice(0, MOST_NAMED)
    .map(({ version, issues }) => `${String(issues.length)} in ${shown(version)} (${listSome(issues)})`)
  const began = named.length === 0 ? '' : ` They began: ${named.join(', ')}.`
  const next = sure[0] ?? first
  return `Bisected ${counted(found.length, 'issue')}: ${String(sure.length)} with confidence HIGH.${began} Next, ${next.body.issue.key}: ${next.next}`
}
