import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readReport, sampleRuns } from '../../service/sample/test-reports.ts'
import { excerpt, steady, type Part } from './excerpt.ts'
import { now, openStage, type Stage } from './stage.ts'

/** A call or a command, in the order in which it is made. One without a name prepares the next. */
interface Step {
  /** The name in the document's marker. */
  name?: string
  /** A tool with its arguments. */
  call?: readonly [tool: string, args: object]
  /** The arguments of `tracegate`. */
  run?: (stage: Stage) => readonly string[]
  /** Prepares files. */
  prepare?: (stage: Stage) => Promise<void>
  /** What the document shows of the answer; default: all of it. */
  parts?: readonly Part[]
  /** The line above the answer; default: the call. False for none. */
  heading?: string | false
}

const bundle = 'src/service/sample/recordings/bundles/shop@1.4.1/public'
const upload = ['sourcemaps', 'upload', bundle, '--release', 'shop@1.4.1']

const steps: readonly Step[] = [
  { name: 'what-is-broken', call: ['find_error_issues', { environment: 'production', sort: 'times_seen', limit: 3 }] },
  {
    name: 'mute',
    call: [
      'set_error_issue_status',
      { issues: ['SHOP-25'], status: 'ignored', reason: 'The provider was in maintenance, says the user.' },
    ],
  },
  // What follows begins with the sample as it was.
  { call: ['set_error_issue_status', { issues: ['SHOP-25'], status: 'unresolved', reason: 'Undo.' }] },
  {
    name: 'fix-context',
    call: ['get_fix_context', { issue: 'SHOP-7' }],
    parts: [
      { from: /^SHOP-7 is/ },
      { from: /^files \(/, lines: 4 },
      { from: /^requirements \(/, lines: 4 },
      { from: /^releases: / },
      { from: /^evidence: / },
      { from: /^git_log: / },
      { from: /error: TypeError/ },
      { from: /code:$/, lines: 6 },
      { from: /frames_crash_first:$/, lines: 4 },
      { from: /breadcrumbs: / },
      { from: /request: / },
      { from: /varies: / },
    ],
  },
  {
    name: 'minified',
    call: ['get_fix_context', { issue: 'SHOP-23' }],
    parts: [{ from: /^source_maps: / }, { from: /frames_crash_first:$/, lines: 4 }],
  },
  { name: 'upload', run: () => upload, heading: `npm run -s tracegate -- ${upload.join(' ')}` },
  {
    name: 'symbolicated',
    call: ['get_fix_context', { issue: 'SHOP-23' }],
    parts: [
      { from: /code:$/, lines: 6 },
      { from: /frames_crash_first:$/, lines: 4 },
    ],
    heading: false,
  },
  {
    name: 'gaps',
    call: ['find_coverage_gaps', { limit: 2 }],
    parts: [{ from: /coverage gaps, worst first/ }, { from: /^rows \(/, lines: 3 }, { from: /^Next:/, lines: 2 }],
  },
  {
    name: 'test-context',
    call: ['get_test_context', { product: '1', requirement: 'REQ-16' }],
    parts: [
      { from: /^REQ-16 is/ },
      { from: /^criteria \(/, lines: 2 },
      { from: /^code_files \(/, lines: 3 },
      { from: /^how_to:/, lines: 2 },
    ],
  },
  { prepare: writeAgentsReport },
  { name: 'ingest', call: ['ingest_test_report', { path: 'report.json', environment: 'staging' }] },
  { prepare: writeSuiteReports },
  {
    name: 'report',
    run: ({ shop }) => [
      'report',
      join(shop, 'reports'),
      '--root',
      '/srv/shop',
      '--release',
      'shop@1.4.1',
      '--environment',
      'ci',
    ],
    heading: false,
  },
  {
    name: 'distill',
    call: [
      'distill_intent',
      {
        intent:
          'A customer must be able to cancel an order within 30 minutes. ' +
          'We talked about refunds. The server must end a session 60 minutes after its last request.',
        branch: 'Cancelling',
      },
    ],
    parts: [{ from: /^Drafted on/ }, { from: /^decisions \(/, lines: 2 }, { from: /^drafts \(/, lines: 2 }],
  },
  {
    name: 'review',
    call: ['review_branch', { branch: 'Cancelling' }],
    parts: [{ from: /^Quality branch/ }, { from: /^conflicts \(/, lines: 2 }, { from: /^changes \(/, lines: 3 }],
  },
  {
    name: 'agent-run',
    call: ['start_agent_run', { config: 'regression_bisect', input_json: '{"issue":"SHOP-7"}', wait_seconds: 20 }],
    parts: [{ from: /^Started/ }, { from: /summary: / }, { from: /^Next:/, lines: 2 }],
  },
]

/** What each marked block of a document shows, by name: made by running the calls. */
export async function makeTranscripts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  await using stage = await openStage()
  for (const step of steps) {
    const text = await perform(step, stage)
    if (step.name !== undefined) texts.set(step.name, text)
  }
  return texts
}

async function perform({ name, call, run, prepare, parts, heading }: Step, stage: Stage): Promise<string> {
  await prepare?.(stage)
  const answer = call ? await stage.call(...call) : run ? await stage.run(run(stage)) : ''
  if (name === undefined) return ''
  const shown = steady(parts === undefined ? answer : excerpt(answer, parts))
  const line = heading ?? (call ? `${call[0]} ${JSON.stringify(call[1])}` : false)
  return line === false ? shown : `${line}\n\n${shown}`
}

/** The report that Vitest writes of the test that the agent wrote for REQ-16. */
async function writeAgentsReport({ shop }: Stage): Promise<void> {
  const title = '[REQ-16] is tried 3 times, then the order is refused and nothing is mailed'
  const suite = 'lost connection to the payment provider'
  const test = { ancestorTitles: [suite], fullName: `${suite} ${title}`, title, status: 'passed', duration: 41 }
  const file = {
    name: join(shop, 'test/payment/pay.test.ts'),
    status: 'passed',
    message: '',
    startTime: now,
    endTime: now + 41,
  }
  const report = {
    numTotalTests: 1,
    numPassedTests: 1,
    startTime: now,
    success: true,
    testResults: [{ ...file, assertionResults: [{ ...test, failureMessages: [] }] }],
  }
  await writeFile(join(shop, 'report.json'), JSON.stringify(report))
}

/** The reports of a whole run of the shop's tests in a pipeline, now. */
async function writeSuiteReports({ shop }: Stage): Promise<void> {
  const folder = join(shop, 'reports')
  await mkdir(folder)
  for (const run of sampleRuns.slice(-2)) {
    const report = await readReport({ ...run, offset_ms: 0 }, now)
    await writeFile(join(folder, `${run.runner}.json`), JSON.stringify(report))
  }
}
