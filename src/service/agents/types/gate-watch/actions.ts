import * as z from 'zod'
import type { Verdict } from '../../../../contract/quality-gate/verdict.ts'
import { GapAction } from '../../../../contract/test-context.ts'
import { scanGaps } from '../../../quality/gaps/scan.ts'
import { viewGaps } from '../../../quality/gaps/view.ts'
import type { Rows } from '../../../sql/database.ts'
import type { StoredProduct } from '../../../workspace/products.ts'
import { plainWord } from './plain-words.ts'

type VerdictBody = z.input<typeof Verdict>
type ConditionBody = VerdictBody['conditions'][number]
type EvidenceBody = ConditionBody['evidence'][number]

/** What to do about an item, in the words of find_coverage_gaps. */
export const ActionWord = z.enum([...GapAction.options.map(plainWord), 'review_exclusion'])

/** What find_coverage_gaps says to do, by the id of the requirement, for those that a verdict lists. */
export async function readGapActions(
  rows: Rows,
  product: StoredProduct,
  { verdict, environmentId, now }: { verdict: VerdictBody; environmentId: string; now: number },
): Promise<ReadonlyMap<string, string>> {
  const listed = new Set(
    verdict.conditions.flatMap(({ evidence }) =>
      evidence.flatMap(({ type, id }) => (type === 'requirement' ? [id] : [])),
    ),
  )
  if (listed.size === 0) return new Map()
  const viewing = {
    window: '7d' as const,
    environmentId: environmentId || undefined,
    now,
    keyPrefix: product.key_prefix,
  }
  const scanned = await scanGaps(rows, product, viewing)
  const wanted = scanned.filter(({ requirementId }) => requirementId !== undefined && listed.has(requirementId))
  const gaps = await viewGaps(
    rows,
    product,
    wanted.map((gap) => ({ gap, rank: 0 })),
    viewing,
  )
  return new Map(gaps.map(({ requirement, suggested_action: action }) => [requirement?.id ?? '', plainWord(action)]))
}

/** What to do so that an item of a condition stops failing. */
export function chooseAction(
  { type, id, state }: EvidenceBody,
  { metric }: ConditionBody,
  gapActions: ReadonlyMap<string, string>,
): string {
  switch (type) {
    case 'requirement':
      return gapActions.get(id) ?? (state === 'no_test' ? 'write_test' : 'run_test')
    case 'test':
      return metric === 'stale_results' ? 'run_test' : 'fix_test'
    case 'issue':
      return 'fix_code'
    case 'link':
      return 'confirm_link'
    case 'exclusion':
      return 'review_exclusion'
  }
}
