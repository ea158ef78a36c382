import type * as z from 'zod'
import { Priority, RiskLevel } from '../../../contract/base/common.ts'
import type { Gap } from '../../../contract/test-context.ts'
import { judgeCoverage, type CoverageBody } from '../coverage/rule.ts'
import { countedLinks } from '../coverage/links.ts'
import { chunks } from '../../sql/chunks.ts'
import { maxResultAgeMs } from '../coverage/policy.ts'
import type { CoveredProduct } from '../coverage/read.ts'
import { componentRefs } from '../../workspace/releases/names.ts'
import { issuesOfTests, type IssueBody } from '../cases/issues.ts'
import { CodeRefs, Criteria } from '../requirements/columns.ts'
import { requirementRef } from '../requirements/view.ts'
import type { Rows } from '../../sql/database.ts'
import type { Exposure, GapQuery, LiveIssue } from './exposure.ts'
import { gapReasons } from './reasons.ts'
import { gapId, type ScannedGap } from './scan.ts'
import { suggestedAction, typeFactor } from './score.ts'
import { readJson } from '../../sql/json.ts'

export type GapBody = z.input<typeof Gap>

const TOP_ISSUES = 3

export interface GapViewing extends GapQuery {
  keyPrefix: string
}

/** Converts scanned gaps to the contract's gaps, in the same order; `rank` is the place of each in the whole list. */
export async function viewGaps(
  rows: Rows,
  product: CoveredProduct,
  gaps: readonly { gap: ScannedGap; rank: number }[],
  viewing: GapViewing,
): Promise<GapBody[]> {
  const ids = gaps.flatMap(({ gap }) => gap.requirementId ?? [])
  const [requirements, components] = await Promise.all([
    loadRequirements(rows, ids),
    componentRefs(
      rows,
      gaps.flatMap(({ gap }) => gap.componentIds),
    ),
  ])
  const { coverage, failing } = await ownCoverage(rows, product, requirements, viewing)
  return gaps.map(({ gap, rank }) => {
    const requirement = requirements.get(gap.requirementId ?? '')
    const own = coverage.get(gap.requirementId ?? '')
    const red = failing.get(gap.requirementId ?? '') ?? []
    const ref = requirement && {
      ...requirementRef(requirement),
      priority: Priority.parse(requirement.priority),
      risk: RiskLevel.parse(requirement.risk),
      version: requirement.version,
    }
    return {
      id: gapId(gap),
      rank,
      type: gap.type,
      requirement: ref ?? null,
      coverage_state: gap.state,
      linked_test_count: own?.linked_test_count ?? 0,
      component: components.get(gap.componentIds[0] ?? '') ?? null,
      files: requirement === undefined ? [gap.path] : readJson(CodeRefs, requirement.code_refs).map(({ path }) => path),
      score: gap.score,
      risk_score: gap.risk,
      exposure_score: Math.round(gap.exposureScore * 1000) / 1000,
      type_factor: typeFactor[gap.type],
      exposure: viewExposure(gap.exposure, viewing),
      reasons: gapReasons({
        type: gap.type,
        coverage: own,
        issues: distinctIssues(red),
        priority: requirement?.priority ?? '',
        risk: requirement?.risk ?? '',
        exposure: gap.exposure,
        window: viewing.window,
      }),
      suggested_action: suggestedAction(gap.type, { coverage: own, failing: red }),
      reproduced_issues: distinctIssues(red),
      open_proposals: 0,
    }
  })
}

function viewExposure({ matched, nearby }: Exposure, { window, keyPrefix }: GapViewing): GapBody['exposure'] {
  const all = [...matched, ...nearby]
  const sum = (pick: (issue: LiveIssue) => number) => all.reduce((total, issue) => total + pick(issue), 0)
  const top = [...matched.toSorted(byEvents), ...nearby.toSorted(byEvents)].slice(0, TOP_ISSUES)
  return {
    window,
    events: sum(({ events }) => events),
    users: sum(({ users }) => users),
    unresolved_issues: all.filter(({ status }) => status === 'unresolved').length,
    fatal_events: sum(({ level, events }) => (level === 'fatal' ? events : 0)),
    top_issues: top.map(({ id, number, title, events }) => ({
      id,
      short_id: `${keyPrefix}-${String(number)}`,
      title,
      events,
    })),
  }
}

function byEvents(a: LiveIssue, b: LiveIssue): number {
  return b.events - a.events || a.number - b.number
}

async function loadRequirements(rows: Rows, ids: readonly string[]) {
  const found = new Map<string, Awaited<ReturnType<typeof read>>[number]>()
  const read = (chunk: readonly string[]) =>
    rows
      .selectFrom('requirement')
      .select(['id', 'number', 'title', 'priority', 'risk', 'version', 'code_refs', 'acceptance_criteria'])
      .where('id', 'in', chunk)
      .execute()
  for (const chunk of chunks(ids)) for (const row of await read(chunk)) found.set(row.id, row)
  return found
}

/** Coverage by the requirement's own links, which also decide its gap, and of each failing test the issue it reproduces. */
async function ownCoverage(
  rows: Rows,
  product: CoveredProduct,
  requirements: ReadonlyMap<string, { acceptance_criteria: string }>,
  { environmentId, now }: GapQuery,
): Promise<{ coverage: Map<string, CoverageBody>; failing: Map<string, (IssueBody | undefined)[]> }> {
  const coverage = new Map<string, CoverageBody>()
  const red = new Map<string, string[]>()
  const maxAgeMs = maxResultAgeMs(product.gate_policy)
  for (const chunk of chunks([...requirements.keys()])) {
    for (const [id, links] of await countedLinks(rows, chunk, { environmentId, now })) {
      const criteria = readJson(Criteria, requirements.get(id)?.acceptance_criteria ?? '[]')
      const facts = { criterionIds: criteria.map((criterion) => criterion.id), links, maxAgeMs, now }
      const judged = judgeCoverage(facts)
      coverage.set(id, judged.coverage)
      red.set(id, judged.failingTests)
    }
  }
  const issues = await issuesOfTests(rows, [...red.values()].flat())
  const failing = Array.from(red, ([id, tests]) => [id, tests.map((test) => issues.get(test))] as const)
  return { coverage, failing: new Map(failing) }
}

function distinctIssues(issues: readonly (IssueBody | undefined)[]): IssueBody[] {
  return [...new Map(issues.flatMap((issue) => (issue === undefined ? [] : [[issue.id, issue]]))).values()]
}
