import type { Requirement } from '../../../src/mcp/resolve/types.ts'

/** Whether a requirement's own tests verify it, so that its state is that of a requirement below it (contract §1.2). */
export function isWorseBelow(coverage: Requirement['coverage']): boolean {
  const { state, linked_test_count: linked = 0, passed_count: passed = 0 } = coverage ?? {}
  if (state === undefined || state === 'verified' || linked === 0) return false
  if (state === 'no_test') return true
  return passed === linked && coverage?.suspect !== true && coverage?.uncovered_criterion_ids?.length === 0
}
