import { counted } from '../../../../lib/counted.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import { createTruncationNotes } from '../../../shared/truncation-notes.ts'
import { defineAgent } from '../../define.ts'
import { readCrashFiles, readEnvironments, readIssues, readPlaces, readPresences } from './read.ts'
import { orderLines } from './release-lines.ts'
import { input, output, type BisectionBody } from './schema.ts'
import { viewBisection, type Facts } from './view.ts'
import { shown } from './words.ts'

/** First bad releases that the summary names. */
const MOST_NAMED = 3
const LONGEST_SUMMARY = 500

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
  async run({ rows, product, now, progress, finding }, asked) {
    const notes = createTruncationNotes()
    const environments = await readEnvironments(rows, product.id, asked.environment)
    const issues = await readIssues(rows, product, { input: asked, now, notes })
    await progress({ phase: 'releases', done: 0, total: 0 })
    const ids = issues.map(({ id }) => id)
    const places = await readPlaces(
      rows,
      environments.map(({ id }) => id),
    )
    const facts: Facts = {
      environments,
      known: { places: new Map(places.map((place) => [place.id, place])), lines: orderLines(places) },
      presences: await readPresences(rows, ids),
      files: await readCrashFiles(rows, ids),
      keyPrefix: product.key_prefix,
      onlyId: asked.environment === undefined ? undefined : environments[0]?.id,
      now,
    }
    const found: BisectionBody[] = []
    for (const [done, issue] of issues.entries()) {
      await progress({ phase: 'issues', done, total: issues.length })
      const bisection = viewBisection(issue, facts)
      found.push(bisection)
      await finding(bisection.why, findingData(bisection))
    }
    await progress({ phase: 'issues', done: issues.length, total: issues.length })
    const byRelease = groupByRelease(found)
    const [only] = asked.environment === undefined ? [] : environments
    return {
      summary: cutWithEllipsis(summarise(found, byRelease), LONGEST_SUMMARY),
      output: {
        environment: only === undefined ? null : { id: only.id, name: only.name },
        counts: countKinds(found),
        first_bad_releases: byRelease,
        issues: found.toSorted(byConfidence),
      },
      truncationSignals: notes.list(),
    }
  },
})

/** HIGH first, otherwise as they were. */
function byConfidence(left: BisectionBody, right: BisectionBody): number {
  return Number(right.confidence === 'HIGH') - Number(left.confidence === 'HIGH')
}

function findingData({ issue, kind, first_bad, last_good, commits, confidence, next }: BisectionBody) {
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
  const ofKind = (kind: BisectionBody['kind']) => found.filter((each) => each.kind === kind).length
  return {
    issues: found.length,
    high: found.filter(({ confidence }) => confidence === 'HIGH').length,
    introduced: ofKind('INTRODUCED'),
    came_back: ofKind('CAME_BACK'),
    in_oldest_release: ofKind('IN_OLDEST_RELEASE'),
    unknown: ofKind('UNKNOWN'),
  }
}

function summarise(found: readonly BisectionBody[], byRelease: ReturnType<typeof groupByRelease>): string {
  const [first] = found
  if (first === undefined) return 'No open fatal or error issue is new or came back in the last 14 days.'
  if (found.length === 1) return `${first.why} Confidence ${first.confidence}. ${first.next}`
  const sure = byRelease.reduce((sum, { issues }) => sum + issues.length, 0)
  const named = byRelease
    .slice(0, MOST_NAMED)
    .map(({ version, issues }) => `${String(issues.length)} in ${shown(version)} (${nameSome(issues)})`)
  const began = named.length === 0 ? '' : ` They began: ${named.join(', ')}.`
  const next = found.find(({ confidence }) => confidence === 'HIGH') ?? first
  return `Bisected ${counted(found.length, 'issue')}: ${String(sure)} with confidence HIGH.${began} Next, ${next.issue.key}: ${next.next}`
}

function nameSome(keys: readonly string[]): string {
  return keys.length <= 4 ? keys.join(', ') : `${keys.slice(0, 3).join(', ')} and ${String(keys.length - 3)} more`
}
