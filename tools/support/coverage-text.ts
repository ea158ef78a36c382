import type * as z from 'zod'
import type { ReceivedResult, Received } from '../../src/client/api.ts'
import type { Coverage } from '../../src/contract/base/common.ts'
import type { ResultOf } from '../../src/contract/index.ts'
import type { Gap } from '../../src/contract/test-context.ts'
import { clean, cutTo, inOneLine } from '../../src/mcp/text/clean.ts'
import { withoutPrefix } from './facts.ts'
import { issueName } from '../../src/mcp/resolve/ids.ts'
import type { LocalFiles } from '../../src/mcp/files/local-files.ts'
import { redact } from '../../src/mcp/text/redact.ts'
import type { Product } from '../../src/mcp/resolve/types.ts'
import { knownName } from '../../src/mcp/text/untrusted.ts'

export type ToldCoverage = Received<z.output<typeof Coverage>>
export type GapPage = ReceivedResult<ResultOf<'listCoverageGaps'>>
export type ToldGap = Received<z.output<typeof Gap>>

/** Issues named beside a gap, the loudest first. */
const ISSUES = 2
const REASON_CHARACTERS = 160

/**
 * What members wrote about requirements and tests, for the trusted part: one line, cleaned and redacted, and nothing in it
 * that looks like the marker of a block. Undefined when there is none.
 */
export function teamLine(text: string | undefined, characters = 160): string | undefined {
  if (text === undefined) return undefined
  const line = redact(inOneLine(clean(text).text)).text.replaceAll(/<(?=\/?\s*untrusted)/gi, '‹')
  return line === '' ? undefined : cutTo(line, characters)
}

/** What a result calls a requirement or a test: its key, else its id. */
export function keyOf({ id, key }: { id?: string | undefined; key?: string | undefined }): string {
  return key === undefined || key === '' ? (id ?? '') : key
}

/** The state of a requirement, and what makes it worse than its word says. */
export function stateOf(coverage: ToldCoverage | undefined) {
  return {
    state: coverage?.state,
    ...(coverage?.failing === true && { failing: true }),
    ...(coverage?.suspect === true && { suspect: true }),
  }
}

/** Why something is a gap, in the service's own sentences. */
export function whyOf({ reasons = [] }: ToldGap): string | undefined {
  const sentences = reasons.flatMap((reason) => teamLine(reason, REASON_CHARACTERS) ?? [])
  return sentences.length === 0 ? undefined : sentences.join('; ')
}

/** The requirement of a gap as a row, with the word for the gap where its state does not say it. */
export function gapRow(gap: ToldGap, products: readonly Product[]) {
  const type = withoutPrefix(gap.type, 'GAP_TYPE_')
  return {
    id: keyOf(gap.requirement ?? {}),
    title: teamLine(gap.requirement?.title, 120),
    state: gap.coverage_state ?? undefined,
    ...(type !== gap.coverage_state && { gap: type }),
    why: whyOf(gap),
    score: gap.score,
    component: teamLine(gap.component?.title, 60),
    tests: gap.linked_test_count,
    do: withoutPrefix(gap.suggested_action, 'GAP_ACTION_'),
    issues: issuesOf(gap, products),
  }
}

/** A file with errors that no requirement claims: its path where it exists inside a root of this machine. */
export async function hotFile(gap: ToldGap, products: readonly Product[], local: LocalFiles | undefined) {
  const [path] = gap.files ?? []
  const known = await existing(path, local)
  return {
    path,
    row: {
      rank: gap.rank,
      ...(known !== undefined && { file: known, matched: 'this machine' }),
      score: gap.score,
      why: whyOf(gap),
      component: teamLine(gap.component?.title, 60),
      issues: issuesOf(gap, products),
    },
  }
}

/** A path that an event may have named, as plain text when it is a file of this machine (mcp §6.3). */
export async function existing(
  path: Parameters<typeof knownName>[0],
  local: LocalFiles | undefined,
): Promise<string | undefined> {
  const text = knownName(path, true) ?? ''
  return text !== '' && (await local?.exists(text)) === true ? text : undefined
}

function issuesOf({ exposure }: ToldGap, products: readonly Product[]): string | undefined {
  const names = (exposure?.top_issues ?? []).slice(0, ISSUES).map((issue) => issueName(issue, products))
  return names.length === 0 ? undefined : names.join(', ')
}
