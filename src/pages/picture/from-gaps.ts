import type * as z from 'zod'
import type { Received, ReceivedResult } from '../../client/api.ts'
import type { ResultOf } from '../../contract/index.ts'
import type { Gap as GapSchema } from '../../contract/test-context.ts'
import { withoutPrefix } from '../../mcp/result/present.ts'
import type { Component } from '../../mcp/resolve/types.ts'
import { textForPeople } from '../../mcp/text/untrusted.ts'
import type { CoveragePicture, GapPicture } from './gap-types.ts'
import type { Tone } from './issue-types.ts'
import { shown } from './shown.ts'

type Gap = Received<z.output<typeof GapSchema>>
type GapSummary = ReceivedResult<ResultOf<'listCoverageGaps'>>['summary']
type Totals = ReceivedResult<ResultOf<'getTraceability'>>['traceability_matrix']['totals']

const PATH_CHARACTERS = 200
const MOST_ISSUES = 3

const kinds: Readonly<Record<string, { word: string; tone: Tone }>> = {
  GAP_TYPE_NO_TEST: { word: 'no test', tone: 'bad' },
  GAP_TYPE_FAILING: { word: 'failing', tone: 'bad' },
  GAP_TYPE_NOT_RUN: { word: 'not run', tone: 'warn' },
  GAP_TYPE_SUSPECT: { word: 'in doubt', tone: 'warn' },
  GAP_TYPE_STALE: { word: 'too old', tone: 'warn' },
  GAP_TYPE_PARTIAL_CRITERIA: { word: 'criteria open', tone: 'warn' },
  GAP_TYPE_UNCLAIMED_HOT_FILE: { word: 'no requirement', tone: 'warn' },
}

const actions: Readonly<Record<string, string>> = {
  GAP_ACTION_WRITE_TEST: 'Write a test',
  GAP_ACTION_RUN_TEST: 'Run the tests',
  GAP_ACTION_FINISH_TEST: 'Finish the skipped test',
  GAP_ACTION_FIX_TEST: 'Fix the failing test',
  GAP_ACTION_FIX_CODE: 'Fix the code that the red test proves wrong',
  GAP_ACTION_CONFIRM_LINK: 'Compare the test with the changed requirement',
  GAP_ACTION_ADD_CRITERION_TEST: 'Write tests for the open criteria',
  GAP_ACTION_WRITE_REQUIREMENT: 'Write the requirement that the file has to meet',
}

/** The kinds of gaps, with the words of a choice. */
export const gapKinds = Object.entries(kinds).map(([value, { word }]) => ({ value, word }))

/** A gap of any deployment as a picture. */
export function gapPicture(gap: Gap): GapPicture {
  const { requirement, files = [], type = '', suggested_action: action = '', reasons = [] } = gap
  const [path] = files
  return {
    key: requirement?.key || requirement?.id || undefined,
    title: requirement ? shown(requirement.title) : textForPeople(path, PATH_CHARACTERS),
    isOutside: !requirement,
    kind: kinds[type] ?? { word: withoutPrefix(type, 'GAP_TYPE_') || 'not stated', tone: 'open' },
    component: shown(gap.component?.title),
    priority: withoutPrefix(requirement?.priority, 'PRIORITY_'),
    score: gap.score,
    tests: gap.linked_test_count,
    reasons: reasons.map((reason) => shown(reason) ?? '').filter((reason) => reason !== ''),
    action: actions[action],
    issues: gapIssues(gap),
    isCode: action === 'GAP_ACTION_FIX_CODE',
  }
}

function gapIssues({ reproduced_issues: red = [], exposure }: Gap): GapPicture['issues'] {
  const all = [
    ...red.map(({ short_id: key, id, status }) => ({ key: key ?? id, isOpen: status !== 'resolved' })),
    ...(exposure?.top_issues ?? []).map(({ short_id: key, id }) => ({ key: key ?? id, isOpen: true })),
  ]
  return [...new Map(all.toReversed().map((issue) => [issue.key, issue])).values()].toReversed().slice(0, MOST_ISSUES)
}

/** Totals of the product and its components; `summary` counts the gaps. */
export function coveragePicture(
  totals: Totals,
  components: readonly Component[],
  summary: GapSummary | undefined,
): CoveragePicture {
  const gaps = new Map(summary?.by_component?.map(({ component_id: id, gaps: count }) => [id, count]))
  return {
    requirements: totals?.requirements,
    verified: totals?.verified,
    notRun: totals?.not_run,
    noTest: totals?.no_test,
    facts: [
      { label: 'Verified', value: totals?.verified, tone: 'good' },
      { label: 'Not run or failing', value: totals?.not_run, tone: 'warn' },
      { label: 'Without a test', value: totals?.no_test, tone: 'bad' },
      { label: 'Failing', value: totals?.failing, tone: 'open' },
      { label: 'In doubt', value: totals?.suspect, tone: 'open' },
      { label: 'Tests without a requirement', value: totals?.unlinked_tests, tone: 'open' },
    ],
    components: components.map(({ id, name, stats }) => ({
      id,
      name: shown(name) ?? id,
      requirements: stats?.requirements,
      ratio: stats?.coverage_ratio,
      gaps: summary?.by_component === undefined ? undefined : (gaps.get(id) ?? 0),
    })),
  }
}
