import type { Tool } from '../src/mcp/define.ts'
import { findErrorIssues } from './find-error-issues.ts'
import { getErrorIssue } from './get-error-issue.ts'
import { getWorkspaceContext } from './get-workspace-context.ts'
import { setErrorIssueStatus } from './set-error-issue-status.ts'

/** Every tool, in the order agents see them: the default toolset first. */
export const tools: readonly Tool[] = [getWorkspaceContext, findErrorIssues, getErrorIssue, setErrorIssueStatus]
