import { createTruncationNotes, keepFirst } from '../../../shared/truncation-notes.ts'
import type { Rows } from '../../../sql/database.ts'
import { compileComponentRows } from '../../../workspace/components/components.ts'
import { componentRefs } from '../../../workspace/releases/names.ts'
import { defineAgent, type AgentContext } from '../../define.ts'
import { keepFitting } from '../../output-size.ts'
import { storeComponents } from './apply.ts'
import { createDuplicates } from './duplicates.ts'
import { scoreIssue } from './priority.ts'
import { readClaims, readCode, readIssues, readOthers, readRecent, type TriagedIssue } from './read.ts'
import { input, output, type PriorityBody, type TriagedBody } from './schema.ts'
import { findClaims, viewTriaged, type Facts } from './view.ts'
import { describe, summarise } from './words.ts'

/** Issues with a FINDING event. */
const MOST_FINDINGS = 20
/** Issues between two reports of progress. */
const STEP = 100

export const issueTriage = defineAgent({
  id: 'issue_triage',
  title: 'Issue triage',
  description:
    'Orders issues by priority and says why. For each it names the requirements and the component that it touches, duplicate candidates, whether it came back, and a suggested status. With apply it stores the component of issues that have none.',
  version: '1.0.0',
  reads: ['issues', 'components', 'requirements'],
  writes: ['issues'],
  input,
  output,
  async run(context, { status, limit, apply }) {
    const notes = createTruncationNotes()
    const issues = await readIssues(context, status)
    const facts = await readFacts(context, issues, status)
    const ordered = await orderIssues(context, issues, facts)
    const first = keepFirst(notes, 'issues', ordered, limit)
    const viewed = first.map(({ issue, priority }) => viewTriaged(issue, priority, facts))
    const triaged = keepFitting(notes, 'issues', viewed, { share: 0.9 })
    for (const one of triaged.slice(0, MOST_FINDINGS)) await context.finding(describe(one), { ...one })
    const result = (applied: number) => ({
      summary: summarise({ triaged, issues: issues.length, status, apply, applied }),
      output: { counts: { ...count(triaged, applied), issues: issues.length }, issues: triaged },
      truncationSignals: notes.list(),
    })
    if (!apply) return result(0)
    return { commit: async (write) => result(await storeComponents(write, triaged, context.call)) }
  },
})

async function readFacts(context: AgentContext, issues: readonly TriagedIssue[], status: string): Promise<Facts> {
  const { rows, product, now } = context
  const types = [...new Set(issues.map(({ type }) => type))].filter((type) => type !== '')
  const compared = [...issues, ...(await readOthers(rows, product.id, status, types))]
  const code = await readCode(
    context,
    compared.map(({ id }) => id),
  )
  const files = new Set(issues.flatMap(({ id }) => code.get(id)?.files ?? []))
  const issueIds = issues.map(({ id }) => id)
  return {
    keyPrefix: product.key_prefix,
    now,
    code,
    recent: await readRecent(context, issueIds),
    claims: await readClaims(context, [...files]),
    ...(await readComponents(rows, product.id)),
    findDuplicates: createDuplicates(compared, code),
  }
}

async function readComponents(rows: Rows, productId: number): Promise<Pick<Facts, 'owners' | 'components'>> {
  const found = await rows
    .selectFrom('component')
    .select(['id', 'path_globs', 'exclude_globs', 'position'])
    .where('product_id', '=', productId)
    .execute()
  const ids = found.map(({ id }) => id)
  return { owners: compileComponentRows(found), components: await componentRefs(rows, ids) }
}

/** The issues with their priorities, the highest first. */
async function orderIssues({ progress }: AgentContext, issues: readonly TriagedIssue[], facts: Facts) {
  const scored: { issue: TriagedIssue; priority: PriorityBody }[] = []
  for (const [done, issue] of issues.entries()) {
    if (done % STEP === 0) await progress({ phase: 'issues', done, total: issues.length })
    scored.push({ issue, priority: prioritise(issue, facts) })
  }
  await progress({ phase: 'issues', done: issues.length, total: issues.length })
  return scored.toSorted(
    (left, right) => right.priority.score - left.priority.score || left.issue.number - right.issue.number,
  )
}

function prioritise(issue: TriagedIssue, facts: Facts): PriorityBody {
  const { live, lastDay = 0 } = facts.recent.get(issue.id) ?? {}
  return scoreIssue({
    issue,
    claims: findClaims(issue, facts),
    isDoubted: issue.suspicious === 1 || issue.contradicted === 1,
    events: { lastDay, week: live?.events ?? 0, weighted: live?.weighted ?? 0 },
  })
}

function count(triaged: readonly TriagedBody[], applied: number) {
  const those = (test: (one: TriagedBody) => boolean) => triaged.filter(test).length
  return {
    triaged: triaged.length,
    regressions: those(({ priority }) => priority.regression),
    duplicates: those(({ duplicates }) => duplicates.length > 0),
    without_component: those(({ component }) => component === null),
    proposed_components: those(({ component }) => component?.state === 'PROPOSED'),
    applied_components: applied,
    status_changes_suggested: those(({ issue, suggested_status: other }) => other !== issue.status),
  }
}
