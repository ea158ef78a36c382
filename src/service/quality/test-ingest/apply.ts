import { readOwnJson, readTexts } from '../../sql/json.ts'
import type { InputOf } from '../../../contract/index.ts'
import type { Writing } from '../../shared/context.ts'
import type { ReportCase } from '../reports/model/report.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { testItem } from '../cases/exclusions.ts'
import { endExclusionsNow } from '../../workspace/exclusions.ts'
import { noteReportedAddition } from '../coverage/additions.ts'
import { DEPRECATED_BY, MISSING } from '../cases/columns.ts'
import { indexTest } from '../cases/text-index.ts'
import { testTitle } from '../cases/title.ts'
import { takeNumber } from '../../workspace/numbers.ts'
import { onePerReport, type PlacedCase } from './cases.ts'
import type { KnownTest } from './known-test.ts'
import { findCreatedMeanwhile, type Matched } from './match.ts'
import { recordResult, type RecordedRun } from './results.ts'
import { createSuites } from './suites.ts'

type IngestOptions = NonNullable<InputOf<'ingestTests'>['options']>

export type IngestAction =
  | 'INGEST_ACTION_CREATED'
  | 'INGEST_ACTION_UPDATED'
  | 'INGEST_ACTION_RENAMED'
  | 'INGEST_ACTION_UNCHANGED'
  | 'INGEST_ACTION_SKIPPED'

export interface AppliedCase {
  placed: PlacedCase
  /** '' for a skipped case. */
  testId: string
  number: number
  action: IngestAction
  /** Whether members vouch for the names that the report gives (contract §4.4). */
  namesKnown: boolean
}

export interface Applied {
  cases: AppliedCase[]
  suitesCreated: number
  recorded: number
  duplicate: number
}

export interface ApplyFacts {
  productId: number
  framework: string
  options: IngestOptions
  /** Undefined in DRAFT mode, which records no results. */
  run: RecordedRun | undefined
}

/** Gets the tests with results so far. */
export type RecordingPause = (recorded: readonly { testId: string }[]) => Promise<void>

/**
 * Writes the cases of a report and their results, in the caller's transaction. Before each case `pause` may commit those
 * before it.
 */
export async function applyCases(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  cases: readonly PlacedCase[],
  matches: readonly Matched[],
  { productId, framework, options, run, pause }: ApplyFacts & { pause: RecordingPause },
): Promise<Applied> {
  const suites = createSuites(prepare, call, productId)
  const applied: Applied = { cases: [], suitesCreated: 0, recorded: 0, duplicate: 0 }
  const reportsFor = joinReports(cases, matches)
  for (const [index, placed] of cases.entries()) {
    await pause(applied.cases)
    const { test = await findCreatedMeanwhile(prepare, productId, placed), renamed = false } = matches[index] ?? {}
    if (test === undefined && options.create_missing === false) {
      applied.cases.push({ placed, testId: '', number: 0, action: 'INGEST_ACTION_SKIPPED', namesKnown: false })
      continue
    }
    const parentId = await suites.ensure(placed.file_path, placed.suite_path)
    const facts = { productId, framework, options, parentId, runId: run?.run.id ?? '' }
    const written =
      test === undefined
        ? await insertCase(prepare, call, placed, facts)
        : await updateCase(rows, prepare, call, placed, test, facts)
    applied.cases.push({ placed, ...written, action: renamed ? 'INGEST_ACTION_RENAMED' : written.action })
    if (run === undefined) continue
    for (const reported of reportsFor(index)) {
      const isNew = await recordResult(prepare, call, { productId, testId: written.testId, run, reported, options })
      applied[isNew ? 'recorded' : 'duplicate'] += 1
    }
  }
  applied.suitesCreated = suites.counted.created
  return applied
}

/**
 * The reports to record with the case at an index. Several cases may be one known test, by its key or a former place: all
 * that is said of it is recorded with the first one.
 */
function joinReports(cases: readonly PlacedCase[], matches: readonly Matched[]) {
  const byTest = Map.groupBy(matches.keys(), (index) => matches[index]?.test?.id ?? '')
  return (index: number): readonly ReportCase[] => {
    const id = matches[index]?.test?.id ?? ''
    const same = id === '' ? [] : (byTest.get(id) ?? [])
    if (same.length < 2) return cases[index]?.reports ?? []
    return same[0] === index ? onePerReport(same.flatMap((each) => cases[each]?.reports ?? [])) : []
  }
}

interface CaseFacts extends Pick<ApplyFacts, 'productId' | 'framework' | 'options'> {
  parentId: string
  /** '' for none. */
  runId: string
}

async function insertCase(prepare: Prepare, call: Writing, placed: PlacedCase, facts: CaseFacts) {
  const { productId, framework, options, parentId } = facts
  const id = call.newId()
  const number = await takeNumber(prepare, productId, 'test')
  const now = call.now()
  const title = testTitle(placed.name)
  const issue = await issueColumns(prepare, productId, placed, { issue_id: '', issue_reported: 0 })
  const seq = await prepare(
    `INSERT INTO test (id, product_id, number, parent_id, kind, title, level, status, automation, framework, identity,
       file_path, suite_path, name, project, line, tags, labels, issue_id, issue_reported, created_by, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'TEST_KIND_CASE', ?, ?, ?, 'AUTOMATION_STATUS_AUTOMATED', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).insert(
    id,
    productId,
    number,
    parentId,
    title,
    options.level ?? 'TEST_LEVEL_UNKNOWN',
    options.mode === 'INGEST_MODE_DRAFT' ? 'TEST_STATUS_DRAFT' : 'TEST_STATUS_ACTIVE',
    framework,
    placed.identity,
    placed.file_path,
    JSON.stringify(placed.suite_path),
    placed.name,
    placed.project,
    placed.line,
    JSON.stringify(placed.tags),
    JSON.stringify(caseLabels(placed)),
    issue.issue_id,
    issue.issue_reported,
    JSON.stringify(call.actor),
    now,
    now,
  )
  await indexTest(prepare, { ...placed, seq, number, title })
  return { testId: id, number, action: 'INGEST_ACTION_CREATED' as const, namesKnown: false }
}

/**
 * Updates a known case from the report. Edits by people stay: its title once they changed it, and its level unless the
 * request names one. A draft that ran becomes active, and so does a case that was missing.
 */
async function updateCase(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  placed: PlacedCase,
  test: KnownTest,
  facts: CaseFacts,
) {
  const { framework, options, parentId, productId } = facts
  // A case found by its key keeps its known location; without a location it takes the reported one if that is free.
  const isPlaced =
    placed.testKey !== undefined && (test.identity !== null || (await isTaken(prepare, productId, placed.identity)))
  const moves = test.identity !== placed.identity && !isPlaced
  const ran = options.mode !== 'INGEST_MODE_DRAFT'
  // Only this module writes the columns read here.
  const labels = readOwnJson<Record<string, string>>(test.labels)
  const isBack = ran && test.status === 'TEST_STATUS_DEPRECATED' && labels[DEPRECATED_BY] === MISSING
  const { [DEPRECATED_BY]: _mark, ...kept } = labels
  const title = test.title === testTitle(test.name) ? testTitle(placed.name) : test.title
  const next = {
    parent_id: moves ? parentId : test.parent_id === '' ? parentId : test.parent_id,
    title,
    // Nobody has vouched for a name that the report brings.
    names_known: moves || title !== test.title ? 0 : test.names_known,
    status: isBack || (ran && test.status === 'TEST_STATUS_DRAFT') ? 'TEST_STATUS_ACTIVE' : test.status,
    framework: framework === '' ? test.framework : framework,
    level: options.level ?? test.level,
    ...(moves
      ? {
          identity: placed.identity,
          file_path: placed.file_path,
          suite_path: JSON.stringify(placed.suite_path),
          name: placed.name,
          project: placed.project,
        }
      : {
          identity: test.identity,
          file_path: test.file_path,
          suite_path: test.suite_path,
          name: test.name,
          project: test.project,
        }),
    line: placed.line === 0 ? test.line : placed.line,
    tags: placed.tags.length === 0 ? test.tags : JSON.stringify(placed.tags),
    labels: JSON.stringify({ ...(isBack ? kept : labels), ...caseLabels(placed) }),
    ...(await issueColumns(prepare, productId, placed, test)),
  }
  const names = Object.keys(next) as (keyof typeof next)[]
  const changed = names.filter((name) => next[name] !== test[name])
  if (isBack && (await endExclusionsNow(prepare, test.id, ['test_deprecated'], call.now()))) {
    const addition = { ...testItem({ id: test.id, product_id: productId }), kind: 'test_restored' } as const
    await noteReportedAddition(rows, call, addition, { testId: test.id, runId: facts.runId, isNew: false })
  }
  if (changed.length > 0) {
    await prepare(
      `UPDATE test SET ${names.map((name) => `${name} = ?`).join(', ')}, etag_version = etag_version + 1, updated_at = ? WHERE id = ?`,
    ).run(...names.map((name) => next[name]), call.now(), test.id)
    const suite_path = moves ? placed.suite_path : readTexts(test.suite_path)
    await indexTest(prepare, {
      ...next,
      seq: test.seq,
      number: test.number,
      suite_path,
      tags: readTexts(next.tags),
    })
  }
  // Without a file an identity is that of any report: it leads to nothing once the case has a file, or the folder of its report.
  const hasLeft = test.file_path === '' && (placed.file_path !== '' || (test.project === '' && placed.project !== ''))
  if (moves && test.identity !== null && !hasLeft) {
    await prepare(`INSERT INTO test_former_identity (product_id, identity, test_id) VALUES (?, ?, ?)
       ON CONFLICT (product_id, identity) DO UPDATE SET test_id = excluded.test_id`).run(
      productId,
      test.identity,
      test.id,
    )
  }
  const action = changed.length === 0 ? 'INGEST_ACTION_UNCHANGED' : 'INGEST_ACTION_UPDATED'
  const isSame = placed.name === test.name && placed.file_path === test.file_path
  return { testId: test.id, number: test.number, action, namesKnown: isSame && next.names_known === 1 } as const
}

/** The issue that the case names; what a member gave stays where it names none. */
async function issueColumns(
  prepare: Prepare,
  productId: number,
  { issueKey }: PlacedCase,
  before: Pick<KnownTest, 'issue_id' | 'issue_reported'>,
): Promise<Pick<KnownTest, 'issue_id' | 'issue_reported'>> {
  const number = Number(issueKey?.slice(issueKey.lastIndexOf('-') + 1))
  const named =
    issueKey === undefined
      ? undefined
      : await prepare('SELECT id FROM issue WHERE product_id = ? AND number = ?').get<{ id: string }>(productId, number)
  if (named !== undefined) return { issue_id: named.id, issue_reported: 1 }
  if (before.issue_reported === 1) return { issue_id: '', issue_reported: 0 }
  return { issue_id: before.issue_id, issue_reported: 0 }
}

async function isTaken(prepare: Prepare, productId: number, identity: string): Promise<boolean> {
  const other = prepare('SELECT 1 AS found FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL')
  return (await other.get(productId, identity)) !== undefined
}

function caseLabels({ labels, reports }: PlacedCase): Record<string, string> {
  const id = reports.find((one: ReportCase) => one.external_id !== '')?.external_id
  // Only the service marks a case that was missing.
  const { [DEPRECATED_BY]: _mark, ...own } = labels
  return { ...own, ...(id !== undefined && { external_id: id.slice(0, 500) }) }
}
