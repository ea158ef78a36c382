import type { ReceivedResult } from '../../client/api.ts'
import type { ResultOf } from '../../contract/index.ts'
import { counted } from '../../lib/counted.ts'
import { knownName, textMatching } from '../../mcp/text/untrusted.ts'
import type { Unread } from './files.ts'

type Ingest = ReceivedResult<ResultOf<'ingestTests'>>['ingest']

/** Beyond this number, warnings and references are only counted. */
const LISTED = 20
/** A key that a test names. */
const REFERENCE = /^[A-Z]{2,10}-\??\d{1,9}(?:\.\d{1,3})?$/i

/** The outcome of a command's requests, as lines for the user. */
export function summary(sent: readonly Ingest[], unread: readonly Unread[], product: string): string[] {
  const sum = (name: keyof NonNullable<Ingest['summary']>) =>
    sent.reduce((total, { summary: one }) => total + (one?.[name] ?? 0), 0)
  const outcomes = [
    some(sum('passed'), 'passed'),
    some(sum('failed'), 'failed'),
    some(sum('errors'), 'broken'),
    some(sum('flaky'), 'flaky'),
    some(sum('blocked'), 'blocked'),
    some(sum('skipped') - sum('blocked'), 'skipped'),
  ].flat()
  const tests = sum('passed') + sum('failed') + sum('errors') + sum('flaky') + sum('skipped')
  const cases = [
    some(sum('cases_created'), 'created'),
    some(sum('cases_renamed'), 'renamed'),
    some(sum('cases_updated') + sum('cases_unchanged'), 'known'),
  ].flat()
  return [
    `Sent ${counted(sum('files'), 'report')} to ${product}: ${counted(tests, 'test')}${outcomes.length === 0 ? '' : ` (${outcomes.join(', ')})`}`,
    ...(cases.length === 0 ? [] : [`  cases: ${cases.join(', ')}`]),
    ...(sum('results_duplicate') === 0
      ? []
      : [`  sent before, not counted again: ${counted(sum('results_duplicate'), 'result')}`]),
    ...(sum('links_created') === 0 ? [] : [`  linked to requirements: ${counted(sum('links_created'), 'new link')}`]),
    ...referenceLine(sent),
    ...coverageLine(sent),
    ...warningLines(sent, unread),
  ]
}

/** Keys that tests name but no requirement has. */
function referenceLine(sent: readonly Ingest[]): string[] {
  const all = sent.flatMap(({ unresolved_refs: refs = [] }) =>
    refs.flatMap(({ ref }) => textMatching(ref, REFERENCE) ?? []),
  )
  const tests = Map.groupBy(all, (ref) => ref)
  if (tests.size === 0) return []
  const words = [...tests].slice(0, LISTED).map(([ref, { length }]) => `${ref} (${counted(length, 'test')})`)
  const more = tests.size > LISTED ? ` and ${String(tests.size - LISTED)} more` : ''
  return [`  no such requirement: ${words.join(', ')}${more}`]
}

function coverageLine(sent: readonly Ingest[]): string[] {
  const before = sent[0]?.coverage_effect?.before
  const after = sent.at(-1)?.coverage_effect?.after
  if (before === undefined || after === undefined) return []
  const states = [
    ['verified', before.verified, after.verified],
    ['not run', before.not_run, after.not_run],
    ['no test', before.no_test, after.no_test],
  ] as const
  const words = states.map(
    ([state, was = 0, is = 0]) => `${state} ${was === is ? String(is) : `${String(was)} -> ${String(is)}`}`,
  )
  const failing = after.failing ? ` (not run: ${String(after.failing)} failing)` : ''
  return [`  requirements: ${words.join(', ')}${failing}`]
}

function warningLines(sent: readonly Ingest[], unread: readonly Unread[]): string[] {
  const reported = sent.flatMap(({ warnings = [] }) =>
    warnings.map(({ code, message, file, line = 0 }) => {
      const place = [knownName(file, true) || undefined, line > 0 ? `line ${String(line)}` : undefined].filter(
        (part) => part !== undefined,
      )
      return `${place.join(', ')}${place.length === 0 ? '' : ': '}${message || code || 'no reason given'}`
    }),
  )
  const all = [...unread.map(({ name, why }) => `${name} ${why}`), ...reported]
  return [
    ...all.slice(0, LISTED).map((line) => `  warning: ${line}`),
    ...(all.length > LISTED ? [`  and ${counted(all.length - LISTED, 'more warning')}`] : []),
  ]
}

function some(number: number, what: string): string[] {
  return number === 0 ? [] : [`${String(number)} ${what}`]
}
