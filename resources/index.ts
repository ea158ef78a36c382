import type { Resource, ResourceTemplate, View } from '../src/mcp/define/define.ts'
import { agentRun } from './agent-run.ts'
import { branch } from './branch.ts'
import { coverageGaps } from './coverage-gaps.ts'
import { docsIds } from './docs-ids.ts'
import { docsSafety } from './docs-safety.ts'
import { docsWorkflows } from './docs-workflows.ts'
import { errorIssueFixContext } from './error-issue-fix-context.ts'
import { errorIssue } from './error-issue.ts'
import { gateView } from './gate-view.ts'
import { gate } from './gate.ts'
import { requirement } from './requirement.ts'
import { triageView } from './triage-view.ts'

export const resources: readonly Resource[] = [docsIds, docsSafety, docsWorkflows]

export const templates: readonly ResourceTemplate[] = [
  errorIssue,
  errorIssueFixContext,
  coverageGaps,
  gate,
  requirement,
  branch,
  agentRun,
]

export const views: readonly View[] = [gateView, triageView]
