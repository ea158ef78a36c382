import type { Selectable } from 'kysely'
import type * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import type { Ingest } from '../../../contract/test-ingest.ts'
import type { Writing } from '../../shared/context.ts'
import { createTruncationNotes, keepFirst } from '../../shared/truncation-notes.ts'
import { countCoverage } from '../coverage/read.ts'
import { refreshCoverage, requirementsOfTests } from '../coverage/refresh.ts'
import { parseRepositoryRoots } from '../../workspace/components/repo-path.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Pause, Prepare, Rows } from '../../sql/database.ts'
import type { ProductRow } from '../../sql/schema.ts'
import { testKey } from '../keys.ts'
import { linkAnnotations, type Annotated, type ProposeAnnotation } from './annotations.ts'
import { audit } from '../../workspace/audit.ts'
import { nextTreeRevision } from '../tree-changes.ts'
import { addReport, type RecordedReport } from './attempts.ts'
import { applyCases, type IngestAction, type Applied, type AppliedCase } from './apply.ts'
import { placeCases, storedPath, type PlacedCase } from './cases.ts'
import type { DraftWarning, ReadDraft } from './decode.ts'
import { isRed } from '../reports/model/synthetic.ts'
import { matchCases } from './match.ts'
import { deprecateMissing } from './missing.ts'
import { blockUnreported, retireOutsideErrors } from './outside-errors.ts'
import { beginRun, ensureRun, finishRun, isCutOff, runsOfCommit, viewRun, type Sending, type StoredRun } from './run.ts'

export interface IngestContext {
  rows: Rows
  prepare: Prepare
  /** Commits what is written so far, in a report of many cases. */
  pause: Pause
  call: Writing & Sending
  product: Selectable<ProductRow>
  /** Makes links by annotation proposals on a branch. */
  propose?: ProposeAnnotation | undefined
}

type Input = Pick<InputOf<'ingestTests'>, 'run' | 'options'>

const CASES_SHOWN = 500
const REFERENCES_SHOWN = 200
const WARNINGS_SHOWN = 100

/**
 * Stores parsed reports: cases, results and links by annotation; returns the coverage before and after (contract §4.1).
 * Runs inside the caller's transaction, and where `pause` commits, in several: each leaves coverage in step with the
 * results, and the run is marked until the last one. The same reports in the same run change nothing the second time.
 */
export async function ingestDraft(
  context: IngestContext,
  draft: ReadDraft,
  input: Input,
): Promise<z.input<typeof Ingest>> {
  const { rows, prepare, pause, call, product } = context
  const { run: about = {}, options = {} } = input
  const isDraft = options.mode === 'INGEST_MODE_DRAFT'
  const before = await countCoverage(rows, product, call.now())

  const joined = isDraft
    ? undefined
    : await ensureRun(rows, prepare, call, { productId: product.id, run: about, draft })
  if (joined !== undefined) await beginRun(prepare, joined.run, draft)
  const run = joined && { run: joined.run, executedAt: draft.started_at ?? joined.run.started_at ?? call.now() }
  const isShard = (about.shard_total ?? joined?.run.shard_total ?? 1) > 1
  const roots = { ...parseRepositoryRoots(product.repository), root_dir: options.root_dir }
  const cases = await placeCases(draft.cases, { roots, keyPrefix: product.key_prefix, pause })
  const matches = await matchCases(prepare, product.id, cases, {
    mayRename: !isShard,
    folders: draft.foldersOfFiles.map((folder) => storedPath(folder, roots)),
    runIds: joined === undefined ? [] : await runsOfCommit(prepare, joined.run),
    pause,
  })
  const touched = matches.flatMap(({ test }) => test?.id ?? [])
  // Include the former place of a case: a rename moves it from one suite to another.
  const affected = await affectedRequirements(context, touched)
  const facts = { productId: product.id, framework: draft.framework, options, run }
  const applied = await applyCases(rows, prepare, call, cases, matches, { ...facts, pause: settling(context) })
  const reportFiles = new Set(draft.reportFiles.map((file) => storedPath(file, roots)))
  const outside = [
    ...(await blockUnreported(prepare, call, applied, { ...facts, pause: settling(context) })),
    ...(await retireOutsideErrors(prepare, call, applied, {
      ...facts,
      isShard,
      reportFiles,
      folders: draft.folders,
      source: draft.contentKey,
      pause,
    })),
  ]
  const paused = { productId: product.id, pause }
  const missing =
    options.missing_policy === 'MISSING_POLICY_DEPRECATE'
      ? await deprecateMissing(rows, prepare, call, { ...paused, runId: run?.run.id ?? '', isShard }, applied)
      : []
  const annotated =
    options.link_annotations === false
      ? nothingAnnotated()
      : await linkAnnotations(
          rows,
          prepare,
          call,
          { ...paused, runId: run?.run.id ?? '', propose: context.propose },
          applied.cases,
        )
  const tests = [...applied.cases.map(({ testId }) => testId).filter((id) => id !== ''), ...outside, ...missing]
  for (const id of [...(await affectedRequirements(context, tests)), ...annotated.requirementIds]) affected.add(id)
  await refreshAll(context, affected)
  if (joined !== undefined) await finishRun(prepare, joined.run, { ...draft, shardIndex: about.shard_index })

  const after = await countCoverage(rows, product, call.now())
  const notes = createTruncationNotes()
  const warnings = [
    ...draft.warnings,
    ...ownWarnings(applied, { joined, contentKey: draft.contentKey }, missing.length),
  ]
  const statuses: StoredStatus[] = []
  for (const { placed } of applied.cases) {
    await pause()
    statuses.push(mergedReportStatus(placed))
  }
  const summary = summarize(draft, applied, { annotated, statuses })
  const runId = joined?.run.id ?? ''
  await audit(rows, call, { verb: 'ingest', resourceType: 'test_run', resourceId: runId, after: summary })
  // Results, new names and places change nothing that a branch would be merged with.
  const isNewTree = summary.suites_created + summary.cases_created + summary.links_created + missing.length > 0
  if (isNewTree) await nextTreeRevision(rows, product.id)
  return {
    id: runId,
    format: draft.format,
    run: joined === undefined ? noRun : await viewRun(prepare, joined.run),
    summary,
    cases: keepFirst(notes, 'cases', failuresFirst(applied.cases, statuses), CASES_SHOWN).map(({ one, status }) => ({
      test_id: one.testId,
      key: one.testId === '' ? '' : testKey(one),
      name: one.placed.name,
      file_path: one.placed.file_path,
      names_known: one.namesKnown,
      action: one.action,
      status,
      requirement_keys: annotated.known.get(one.testId) ?? [],
    })),
    unresolved_refs: keepFirst(notes, 'unresolved_refs', annotated.unresolved, REFERENCES_SHOWN),
    warnings: keepFirst(notes, 'warnings', warnings, WARNINGS_SHOWN),
    coverage_effect: { before, after },
    gate_stale: applied.recorded > 0 && (await hasVerdict(rows, product.id)),
    truncation_signals: notes.list(),
  }
}

async function hasVerdict(rows: Rows, productId: number): Promise<boolean> {
  const verdicts = rows.selectFrom('verdict').select('id').where('product_id', '=', productId)
  return (await verdicts.limit(1).executeTakeFirst()) !== undefined
}

const REFRESHED_AT_ONCE = 50

async function affectedRequirements({ prepare, pause }: IngestContext, testIds: readonly string[]) {
  const affected = new Set<string>()
  for (const chunk of chunks(testIds)) {
    await pause()
    for (const id of await requirementsOfTests(prepare, chunk)) affected.add(id)
  }
  return affected
}

async function refreshAll({ rows, prepare, pause, call, product }: IngestContext, requirementIds: Iterable<string>) {
  for (const chunk of chunks([...requirementIds], REFRESHED_AT_ONCE)) {
    await pause()
    await refreshCoverage(rows, prepare, { productId: product.id, now: call.now() }, chunk)
  }
}

/** A pause that commits results only together with the coverage that rests on them; gets the tests recorded so far. */
function settling({ rows, prepare, pause, call, product }: IngestContext) {
  let settled = 0
  return (recorded: readonly { testId: string }[]) =>
    pause(async () => {
      const tests = recorded.slice(settled).flatMap(({ testId }) => (testId === '' ? [] : [testId]))
      settled = recorded.length
      const affected = await requirementsOfTests(prepare, tests)
      await refreshCoverage(rows, prepare, { productId: product.id, now: call.now() }, affected)
    })
}

function nothingAnnotated(): Annotated {
  return { created: 0, proposed: 0, unresolved: [], known: new Map(), requirementIds: new Set() }
}

const noRun: Awaited<ReturnType<typeof viewRun>> = {
  id: '',
  run_key: '',
  commit_sha: '',
  git_branch: '',
  environment_id: '',
  release_id: '',
  started_at: null,
  finished_at: null,
  totals: { tests: 0, passed: 0, failed: 0, skipped: 0, flaky: 0, errors: 0 },
  ci_url: '',
}

/** The status that all reports of a case in this request add up to. */
function mergedReportStatus({ reports }: PlacedCase): StoredStatus {
  let known: readonly RecordedReport[] = []
  let status: StoredStatus = 'RESULT_STATUS_SKIPPED'
  for (const reported of reports) {
    const outcome = addReport(known, reported)
    if (outcome === undefined) continue
    known = outcome.reported
    status = outcome.status
  }
  return status
}

type StoredStatus = RecordedReport['status']

/** In the order of the report; where not all can be shown, those that failed come first. */
function failuresFirst(cases: readonly AppliedCase[], statuses: readonly StoredStatus[]) {
  const all = cases.map((one, index) => ({ one, status: statuses[index] ?? 'RESULT_STATUS_SKIPPED' }))
  if (all.length <= CASES_SHOWN) return all
  return [...all.filter(isRed), ...all.filter((one) => !isRed(one))]
}

function summarize(
  draft: ReadDraft,
  { cases, suitesCreated, recorded, duplicate }: Applied,
  { annotated, statuses }: { annotated: Annotated; statuses: readonly StoredStatus[] },
) {
  const actions = (action: IngestAction) => cases.filter((one) => one.action === action).length
  const count = (...wanted: StoredStatus[]) => statuses.filter((status) => wanted.includes(status)).length
  return {
    files: draft.files,
    suites_created: suitesCreated,
    cases_created: actions('INGEST_ACTION_CREATED'),
    cases_updated: actions('INGEST_ACTION_UPDATED'),
    cases_unchanged: actions('INGEST_ACTION_UNCHANGED'),
    cases_renamed: actions('INGEST_ACTION_RENAMED'),
    results_recorded: recorded,
    results_duplicate: duplicate,
    links_created: annotated.created,
    link_proposals_created: annotated.proposed,
    passed: count('RESULT_STATUS_PASSED'),
    failed: count('RESULT_STATUS_FAILED'),
    skipped: count('RESULT_STATUS_SKIPPED', 'RESULT_STATUS_BLOCKED'),
    blocked: count('RESULT_STATUS_BLOCKED'),
    flaky: count('RESULT_STATUS_FLAKY'),
    errors: count('RESULT_STATUS_ERROR'),
  }
}

function ownWarnings(
  { cases }: Applied,
  { joined, contentKey }: { joined: { run: StoredRun; differs: boolean } | undefined; contentKey: string },
  deprecated: number,
): DraftWarning[] {
  const skipped = cases.filter(({ action }: AppliedCase) => action === 'INGEST_ACTION_SKIPPED').length
  const all = [
    ['CASES_SKIPPED', skipped, `${String(skipped)} cases are unknown and create_missing is false`],
    [
      'CASES_DEPRECATED',
      deprecated,
      `${String(deprecated)} known cases are missing from their files in the report and are now deprecated`,
    ],
    [
      'RUN_DIFFERS',
      joined?.differs === true ? 1 : 0,
      'this run was sent before with another commit, git branch, environment or release, which it keeps; to record another one, run the tests again or give another run key',
    ],
    [
      'RUN_INCOMPLETE',
      joined !== undefined && isCutOff(joined.run, contentKey) ? 1 : 0,
      'another report of this run was cut off while it was stored; send that one again',
    ],
  ] as const
  return all.flatMap(([code, count, message]) => (count === 0 ? [] : [{ code, message, file: '', line: 0 }]))
}
