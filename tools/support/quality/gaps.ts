import * as z from 'zod'
import type { Received, ReceivedResult } from '../../../src/client/api.ts'
import { Ref } from '../../../src/contract/base/common.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import { Gap as GapSchema } from '../../../src/contract/test-context.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import { issueName } from '../../../src/mcp/resolve/ids.ts'
import type { Product } from '../../../src/mcp/resolve/types.ts'
import { rows, upTo } from '../../../src/mcp/result/output.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import { teamText } from '../../../src/mcp/text/team.ts'
import { keyOrId, listed, rowTitle } from '../columns.ts'
import { existingPath } from '../test-names.ts'

export type GapPage = ReceivedResult<ResultOf<'listCoverageGaps'>>
export type Gap = Received<z.output<typeof GapSchema>>

/** How many gaps there are of each type. */
export type GapTypes = NonNullable<GapPage['summary']>['by_type']

/** Issues named in a gap's row: those that its red tests reproduce, then the loudest. */
const ISSUES = 2
const REASON_CHARACTERS = 160

const component = upTo(Ref.shape.title, 60)

export const gapRows = rows({
  id: z.string(),
  title: rowTitle,
  state: GapSchema.shape.coverage_state,
  gap: z.string(),
  why: z.string(),
  score: GapSchema.shape.score,
  component,
  tests: z.int(),
  do: GapSchema.shape.suggested_action,
  issues: z.string(),
})

export const hotFileRows = rows({
  rank: z.int(),
  file: z.string(),
  matched: z.string(),
  score: GapSchema.shape.score,
  why: z.string(),
  component,
  issues: z.string(),
})

/** How many gaps there are by state, and of those that are `not_run` how many fail or are in doubt. */
export function gapCounts({ summary }: GapPage) {
  const { total, by_state: states, by_type: types } = summary ?? {}
  return {
    total,
    no_test: states?.no_test,
    not_run: states?.not_run,
    failing: types?.GAP_TYPE_FAILING || undefined,
    suspect: types?.GAP_TYPE_SUSPECT || undefined,
    files: types?.GAP_TYPE_UNCLAIMED_HOT_FILE,
  }
}

/** `: 5 failing, 2 skipped or never run`: what `not_run` means for the requirements counted; empty where nobody said it. */
export function notRunWords(types: GapTypes): string {
  const parts = [
    [types?.GAP_TYPE_FAILING, 'failing'],
    [types?.GAP_TYPE_NOT_RUN, 'skipped or never run'],
    [types?.GAP_TYPE_PARTIAL_CRITERIA, 'with criteria that no test covers'],
    [types?.GAP_TYPE_SUSPECT, 'suspect'],
    [types?.GAP_TYPE_STALE, 'with results that are too old'],
  ] as const
  const words = parts.flatMap(([count = 0, what]) => (count === 0 ? [] : [`${count} ${what}`]))
  return words.length === 0 ? '' : `: ${words.join(', ')}`
}

/** The requirement of a gap as a row, with the word for the gap where its state does not say it. */
export function gapRow(gap: Gap, products: readonly Product[]) {
  const type = withoutPrefix(gap.type, 'GAP_TYPE_')
  return {
    id: keyOrId(gap.requirement ?? {}),
    title: gap.requirement?.title,
    state: gap.coverage_state,
    gap: type === gap.coverage_state ? undefined : type,
    why: gapReasons(gap),
    score: gap.score,
    component: gap.component?.title,
    tests: gap.linked_test_count,
    do: gap.suggested_action,
    issues: topIssues(gap, products),
  }
}

/** The open issue that its failing tests reproduce, where nothing but the code is to be fixed. */
export function issueToFix(
  { suggested_action: action, reproduced_issues: issues = [] }: Gap,
  products: readonly Product[],
) {
  const open = issues.find(({ status }) => status !== 'resolved')
  return action === 'GAP_ACTION_FIX_CODE' && open !== undefined ? issueName(open, products) : undefined
}

/** A file with errors that no requirement claims: its path where it exists inside a root of this machine. */
export async function hotFile(gap: Gap, products: readonly Product[], local: LocalFiles | undefined) {
  const [path] = gap.files ?? []
  const file = await existingPath(path, local)
  return {
    path,
    row: {
      rank: gap.rank,
      file,
      matched: file === undefined ? undefined : 'this machine',
      score: gap.score,
      why: gapReasons(gap),
      component: gap.component?.title,
      issues: topIssues(gap, products),
    },
  }
}

/** Why something is a gap, in the service's own sentences. */
export function gapReasons({ reasons = [] }: Gap): string | undefined {
  const sentences = reasons
    .filter((reason) => reason !== '')
    .map((reason) => teamText(reason, { characters: REASON_CHARACTERS }))
  return sentences.length === 0 ? undefined : sentences.join('; ')
}

function topIssues({ exposure, reproduced_issues: red = [] }: Gap, products: readonly Product[]): string | undefined {
  const all = [...red, ...(exposure?.top_issues ?? [])].map((issue) => issueName(issue, products))
  return listed([...new Set(all)].slice(0, ISSUES))
}
