import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixErrorIssue } from '../prompts/fix-error-issue.ts'
import { defineView } from '../src/mcp/define/define.ts'
import { promptText } from '../src/mcp/surface/prompt-text.ts'
import { SOME_ISSUE, withPrompt } from '../src/mcp/surface/view-prompt.ts'

export const triageView = defineView({
  name: 'triage-view',
  uri: 'ui://tracegate/triage',
  title: 'Error issues',
  description: 'The error issues that were found, to filter, each with the prompt that fixes it. Read-only.',
  tools: ['find_error_issues'],
  copies: true,
  html(offers) {
    const file = readFileSync(join(import.meta.dirname, 'triage-view.html'), 'utf8')
    const isOffered = fixErrorIssue.tools.every(offers)
    return withPrompt(
      file,
      isOffered ? promptText(fixErrorIssue, { issue: SOME_ISSUE, product: undefined }, offers) : undefined,
    )
  },
})
