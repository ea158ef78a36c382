import type { Prompt } from '../src/mcp/define/define.ts'
import { closeCoverageGaps } from './close-coverage-gaps.ts'
import { fixErrorIssue } from './fix-error-issue.ts'
import { followAgentRun } from './follow-agent-run.ts'
import { planChange } from './plan-change.ts'
import { releaseCheck } from './release-check.ts'
import { setUpProduct } from './set-up-product.ts'
import { triageErrors } from './triage-errors.ts'

export const prompts: readonly Prompt[] = [
  fixErrorIssue,
  triageErrors,
  closeCoverageGaps,
  releaseCheck,
  planChange,
  followAgentRun,
  setUpProduct,
]
