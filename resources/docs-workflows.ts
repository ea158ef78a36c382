import { defineResource } from '../src/mcp/define.ts'

export const docsWorkflows = defineResource({
  name: 'docs-workflows',
  uri: 'tracegate://docs/workflows',
  title: 'Workflows',
  description: 'The usual jobs as sequences of calls.',
  mimeType: 'text/markdown',
  text: `# Workflows

## Triage errors
1. \`find_error_issues\` {"environment":"production","period":"1d"}: the page of what happens now.
2. \`get_error_issue\` for each one worth a look: counts, environments, corroboration, stack trace.
3. \`set_error_issue_status\` with a reason, when the user decided so: ignored for noise, resolved once the fix is merged.

## What did this release break?
1. \`get_workspace_context\` {"include":["releases"]} when the version is unknown.
2. \`find_error_issues\` {"release":"…","environment":"production","first_seen_in_release":true,"status":"any"}: a version may be in
   several environments.

## After a fix
1. \`set_error_issue_status\` to resolved; the reason names the commit.
2. A new occurrence in a later release opens the issue again: \`find_error_issues\` shows it with state regressed.
`,
})
