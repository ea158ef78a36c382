import { reportFormatList } from '../src/contract/test-ingest.ts'
import { defineResource } from '../src/mcp/define/define.ts'

export const docsWorkflows = defineResource({
  name: 'docs-workflows',
  uri: 'tracegate://docs/workflows',
  title: 'Workflows',
  description: 'The usual jobs as sequences of calls.',
  mimeType: 'text/markdown',
  text: `# Workflows

## Set up a product
1. \`get_workspace_context\` {"include":["setup"]}: the DSN, for the application's environment, never its code.
2. Crash once with a Sentry SDK: \`find_error_issues\` {"environment":"development"} shows it.
3. In CI: \`tracegate sourcemaps upload dist --release 1.4.0\`, then \`tracegate report reports/ --release 1.4.0
   --environment ci\` and \`tracegate gate --release 1.4.0\`.
4. \`verify_setup\`: what is still open.

## Triage errors
1. \`find_error_issues\` {"environment":"production","period":"1d"}: what happens now.
2. Decide from the rows where they suffice; \`get_error_issue\` for an issue in doubt.
3. \`get_fix_context\` for issues to fix now.
4. \`set_error_issue_status\` with a reason, when the user decided so: ignored for noise, resolved once the fix is merged.

## Fix an error
1. \`get_fix_context\` {"issue":"SHOP-31"}: files with their lines, the stack with its code, what the occurrences have in
   common and what varies, the last good release, the coverage of these files. Values:
   \`get_error_issue\` {"issue":"SHOP-31","include":["values"]}.
2. Open the files listed first; a path that only a frame names is a claim until the file is found.
3. Minified frames: \`upload_source_map\` with the build folder and the release, then \`get_fix_context\` again.
4. Write a test that fails, then fix the cause.
5. \`get_test_context\` only for a requirement marked no_test or not_run.
6. \`ingest_test_report\` for the results: it links tests that name their requirement; \`record_tests\` links the others.
7. \`set_error_issue_status\` once the fix is merged.

## Close a coverage gap
1. \`find_coverage_gaps\` {}: requirements that no working test proves, worst first, and files with errors that none claims.
2. \`get_test_context\` {"requirement":"REQ-12"}: what a test has to show, files to read, conventions.
3. Write the test in the repository, with the requirement in its name, as in "[REQ-12] …".
4. Run the tests with a reporter: ${reportFormatList}.
5. \`ingest_test_report\` {"path":"reports/junit.xml"}: links the test, and says the coverage before and after.
6. \`record_tests\` only for a test whose name and tags cannot have the key.

Other gaps: failing, not_run (linked, no result that counts), stale (results too old), suspect (the text has changed since the
test was linked: read both, then link again to confirm), partial_criteria.

## Write down what the product must do (\`save_requirement\`)
1. \`list_requirements\` {"match":"…"}: is it there already?
2. \`save_requirement\` {"title":"…","body":"…","criteria":["…"],"files":["src/cart/**"],"dry_run":true} checks the wording.
3. \`save_requirement\` without dry_run writes it; with "requirement" it changes one, which puts its links to tests in doubt.

## Plan a change
1. \`distill_intent\` {"path":"notes.md","branch":"Gift cards"}: drafts with their quotes on a quality branch. The main
   requirements stay as they are.
2. \`review_branch\`: what the user has to decide, changes, link proposals, the effect on coverage and gate.
3. \`merge_quality_branch\` with the user's resolutions, once they say so.

## What did this release break?
1. \`get_workspace_context\` {"include":["releases"]} when the version is unknown.
2. \`find_error_issues\` {"release":"…","environment":"production","first_seen_in_release":true,"status":"any"}: a version may be in
   several environments.

## Can we ship?
1. \`compute_quality_gate\` {"release":"…"}: the verdict, what blocks, what is new; \`get_quality_gate\` reads the last one.
2. Fix what is cheap, then compute again.
3. \`accept_gate_risk\` {"blocker":"…","reason":"…"} if the user decides so; a second person approves it.

## Let an agent look
1. \`get_workspace_context\` {"include":["agent_configs"]}: the agents there are.
2. \`start_agent_run\` {"config":"…"}, if the user asked for it.
3. \`get_agent_run\` {"run":"…","wait_seconds":20}: progress, then the result.

## After a fix
1. \`set_error_issue_status\` {"issues":["SHOP-31"],"status":"resolved","fixed_in":"1f2e3d4c","reason":"…"}: the answer says what
   reopens the issue. A commit counts from the first recorded release that has it, else from the next one.
2. A new occurrence in that release or a later one opens the issue again: \`find_error_issues\` shows it with state regressed.
   Releases that only events named reopen nothing: record each release.
3. State still_firing: it occurs 7 days after it was resolved, not only in releases known to be older.
`,
})
