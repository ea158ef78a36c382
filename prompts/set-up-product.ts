import * as z from 'zod'
import { definePrompt } from '../src/mcp/define/define.ts'
import { idText } from '../src/mcp/text/id-text.ts'
import { productNames } from '../src/mcp/surface/suggest.ts'

const steps = [
  'Call get_workspace_context with include setup: it has the dsn. For 127.0.0.1 the user starts `tracegate serve`.',
  'Add the Sentry SDK, in Node by `node --import ./instrument.mjs`. Errors that the code catches need captureException. It reads SENTRY_DSN, SENTRY_ENVIRONMENT and SENTRY_RELEASE (the version); keep the DSN out of code.',
  'Crash it by an uncaught error with SENTRY_ENVIRONMENT=development, which blocks nothing; then undo it. Call find_error_issues: a row has to be this very error.',
  'If none is, call send_test_event: if found, the fault is in the application.',
  'Call get_fix_context for the row: it has to name release and files. Bundled code needs `tracegate sourcemaps upload DIR --release VERSION`. Leave the issue open: resolving it fails the gate until a person reviews it.',
  'Tell the user: errors count in the gate with SENTRY_ENVIRONMENT=production and, for a backend, the DSN of `tracegate admin key add --server`.',
  'Ask the user for one thing that it must do. Call save_requirement with it, its criteria and its files, then approve_requirements: the gate counts no drafts.',
  'Call get_test_context with the key from save_requirement: how a test names it. "[REQ-1.1] …" proves criterion 1, REQ-1 none. Run it with a reporter. Call ingest_test_report with path, release and environment development: it has to be verified.',
  'Call compute_quality_gate with the release alone: tests count wherever they ran, errors in production. Say the verdict.',
  'Add to CI, also after failed tests: `tracegate report DIR --release VERSION --environment ci`, then `tracegate gate --release VERSION`.',
  'Call verify_setup. Do what is open and cheap; tell the user the rest.',
]

const WITHOUT_REQUIREMENTS =
  'This server does not offer writing requirements: for the first one and its test, ask the user to add the toolset requirements.'

export const setUpProduct = definePrompt({
  name: 'set_up_product',
  title: 'Set up a product',
  description: 'Connect an application to a product: errors, source maps, test reports, the gate, a first requirement.',
  args: {
    product: z.string().optional().describe('Product id or name.'),
  },
  suggest: { product: productNames },
  tools: ['get_workspace_context', 'find_error_issues'],
  when: 'Use when a product is new or no event has arrived.',
  task: ({ product }) => [
    'Connect the application in this repository to the product. Each step has to show what it says.',
    ...(product === undefined ? [] : [`Product: ${idText(product)}.`]),
  ],
  steps,
  without: { tool: 'save_requirement', say: WITHOUT_REQUIREMENTS },
})
