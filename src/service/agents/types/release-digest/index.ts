import * as z from 'zod'
import { shortName } from '../../../../contract/quality-gate/short-name.ts'
import { readVerdict } from '../../../gate/verdict/current.ts'
import { readReleaseVerdict } from '../../../gate/verdict/store.ts'
import { endingRisks, readOpenRisks } from '../../../gate/risks/facts.ts'
import type { GateScope } from '../../../gate/scope.ts'
import type { Rows } from '../../../sql/database.ts'
import { readTexts } from '../../../sql/json.ts'
import { timestamp, timestampOrNull } from '../../../shared/times.ts'
import { createTruncationNotes, type TruncationNotes } from '../../../shared/truncation-notes.ts'
import { viewReleases } from '../../../workspace/releases/release-view.ts'
import { isRecordedRelease } from '../../../workspace/releases/rules.ts'
import { coveredItems } from '../../../gate/risks/stored.ts'
import { defineAgent, type AgentContext } from '../../define.ts'
import { environmentRef, releaseRef, requireNamedEnvironment } from '../../named.ts'
import { keepFitting } from '../../output-size.ts'
import { compareCoverage, countVersion, findUntested, readVersionCoverage } from './coverage.ts'
import { compareIssues } from './issues.ts'
import { ReleaseDigestOutput } from './output.ts'
import { chooseReleases, type ChosenReleases, type PlacedRelease } from './releases.ts'
import { describeFindings, summarise } from './words.ts'

/** Parts of a digest, for its progress. */
const PARTS = 4
/** Risks and environments that are listed. */
const LISTED = 50
/** What each list may use of the output. */
const SHARE = 0.12

const input = z.strictObject({
  release: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Id or version; of a version in several environments, the one in production. Default: the newest recorded release.',
    ),
  environment: z.string().min(1).max(64).optional().describe('Id or name of the environment of the release.'),
  limit: z.int().min(1).max(200).default(50).describe('Entries of each list.'),
})

export const releaseDigest = defineAgent({
  id: 'release_digest',
  title: 'Release digest',
  description:
    'Compares a release with the one before it: new, regressed and gone issues, coverage, verdict. Lists the untested ' +
    'requirements that it touches and the accepted risks that end within 7 days.',
  version: '1.0.0',
  reads: ['releases', 'issues', 'requirements', 'tests', 'quality-gate', 'risks'],
  writes: [],
  input,
  output: ReleaseDigestOutput,

  async run(context, { release: named, environment: place, limit }) {
    const { rows, product } = context
    const environment = place === undefined ? undefined : await requireNamedEnvironment(rows, product.id, place)
    const chosen = await chooseReleases(rows, product.id, { named, environmentId: environment?.id })
    await warnOfGaps(context, chosen)
    const compared = await compare(context, chosen)
    const { predecessor } = chosen
    const notes = createTruncationNotes()
    const output: ReleaseDigestOutput = {
      release: viewRelease(chosen.current),
      predecessor: predecessor === undefined ? null : viewRelease({ ...chosen.current, release: predecessor }),
      ...viewComparison(compared, notes, limit),
      verdict: await readVerdicts(context, chosen),
      risks_ending: listed(notes, 'risks_ending', await readEnding(context, compared.coverage.scope), LISTED),
      elsewhere: listed(notes, 'elsewhere', await viewElsewhere(context, chosen), LISTED),
    }
    for (const finding of describeFindings(output).slice(0, limit)) await context.finding(...finding)
    return { summary: summarise(output), output, truncationSignals: notes.list() }
  },
})

/** What the release changed. */
async function compare(context: AgentContext, chosen: ChosenReleases) {
  const { rows, product, now } = context
  const { current, predecessor } = chosen
  const step = (done: number) => context.progress({ phase: 'compare', done, total: PARTS })
  await step(0)
  const issues = await compareIssues(rows, product.key_prefix, chosen, now)
  await step(1)
  const coverage = await readVersionCoverage(context, current.release.id)
  await step(2)
  const before = predecessor && (await readVersionCoverage(context, predecessor.id))
  await step(3)
  const { lost, gained } = compareCoverage(coverage, before)
  const touching = [...issues.regressed, ...issues.fresh]
  const untested = await findUntested(rows, product.id, { current: coverage, lost, issues: touching })
  await step(PARTS)
  return { issues, coverage, before, lost, gained, untested }
}

function viewComparison(
  { issues, coverage, before, lost, gained, untested }: Awaited<ReturnType<typeof compare>>,
  notes: TruncationNotes,
  limit: number,
) {
  return {
    counts: {
      new_issues: issues.fresh.length,
      regressed_issues: issues.regressed.length,
      gone_issues: issues.gone.length,
      continuing_issues: issues.continuing,
    },
    new_issues: listed(notes, 'new_issues', issues.fresh, limit),
    regressed_issues: listed(notes, 'regressed_issues', issues.regressed, limit),
    gone_issues: listed(notes, 'gone_issues', issues.gone, limit),
    coverage: {
      current: countVersion(coverage),
      before: before === undefined ? null : countVersion(before),
      lost: listed(notes, 'coverage.lost', lost, limit),
      lost_total: lost.length,
      gained: listed(notes, 'coverage.gained', gained, limit),
      gained_total: gained.length,
    },
    untested: listed(notes, 'untested', untested, limit),
  }
}

/** The first entries of one of the eight lists of the output. */
function listed<T>(notes: TruncationNotes, member: string, list: readonly T[], max: number): T[] {
  return keepFitting(notes, member, list, { share: SHARE, max })
}

/** Warns of what the digest cannot compare. */
async function warnOfGaps(
  { warn }: AgentContext,
  { current: { release }, predecessor }: ChosenReleases,
): Promise<void> {
  if (!isRecordedRelease(release))
    await warn(
      'Only events or test runs name this release, so its place among the releases is unknown; record it with record_release.',
    )
  else if (predecessor === undefined)
    await warn('No known release of this environment is older, so nothing is compared.')
  else if (release.event_count === 0)
    await warn('No event of this release has arrived, so its gone issues prove nothing.')
}

function viewRelease({ release, environment }: PlacedRelease): ReleaseDigestOutput['release'] {
  return {
    release: releaseRef(release),
    environment: environmentRef(environment),
    released_at: timestampOrNull(release.released_at),
    events: release.event_count,
  }
}

/** The newest verdict on the release and the one on its predecessor. */
async function readVerdicts(
  { rows, call, product }: AgentContext,
  { current, predecessor }: ChosenReleases,
): Promise<ReleaseDigestOutput['verdict']> {
  const newest = await readPlainVerdict(rows, current.release)
  const before = predecessor === undefined ? null : await readPlainVerdict(rows, predecessor)
  if (newest === null) return { current: null, before }
  const { status_reason, stale } = await readVerdict(rows, call, product, { verdict_id: newest.id })
  return { current: { ...newest, status_reason, stale }, before }
}

async function readPlainVerdict(rows: Rows, release: Parameters<typeof readReleaseVerdict>[1]) {
  const verdict = await readReleaseVerdict(rows, release)
  return verdict && { ...verdict, status: shortName(verdict.status) }
}

async function readEnding(
  { rows, product, now }: AgentContext,
  scope: GateScope,
): Promise<ReleaseDigestOutput['risks_ending']> {
  const { active } = await readOpenRisks(rows, { productId: product.id, now, scope })
  return endingRisks(active, now).map((risk) => ({
    risk_id: risk.id,
    expires_at: timestamp(risk.expires_at),
    condition_ids: readTexts(risk.condition_ids),
    items: coveredItems(risk).length,
  }))
}

async function viewElsewhere(
  { rows }: AgentContext,
  { elsewhere }: ChosenReleases,
): Promise<ReleaseDigestOutput['elsewhere']> {
  const views = await viewReleases(
    rows,
    elsewhere.map(({ release }) => release),
  )
  return elsewhere.map((one, index) => ({
    ...viewRelease(one),
    new_issues: views[index]?.counts.new_issues ?? 0,
    regressed_issues: views[index]?.counts.regressed_issues ?? 0,
  }))
}
