import * as z from 'zod'
import { definePrompt } from '../src/mcp/define/define.ts'
import { idText } from '../src/mcp/text/id-text.ts'
import { productNames } from '../src/mcp/surface/suggest.ts'

const steps = [
  'Call get_workspace_context with include setup: it has the dsn. A dsn of 127.0.0.1 needs `tracegate serve`, which the user starts where it does not run.',
  'Add the Sentry SDK of the language where the application starts. DSN, environment and release come from the variables SENTRY_DSN, SENTRY_ENVIRONMENT and SENTRY_RELEASE; never write the DSN into code or a committed file.',
  'Let an error that nothing catches crash the application in environment development, then take it out again. Call find_error_issues: a row has to be this very error.',
  'If none is, call send_test_event: where it is found, the fault is in the application.',
  'Call get_fix_context for the row: it has to name your release and files. Where code is bundled, `tracegate sourcemaps upload DIR --release VERSION` belongs into the build, with VERSION as in SENTRY_RELEASE. Leave the issue open: what an agent resolves fails the gate until a person has reviewed it.',
  'Ask the user for one thing that the product must do. Call save_requirement with it, its criteria and its files.',
  'Put the key that save_requirement gave into the name of a test, as in "[REQ-1] …". Run it with a reporter and call ingest_test_report: the requirement has to be verified.',
  'Call compute_quality_gate. Say the verdict and what it could not evaluate yet.',
  'Add to CI, after the tests even if they failed: `tracegate report DIR --release VERSION --environment ci`, then `tracegate gate` with the same options. Both need TRACEGATE_BASE_URL and, as a secret, TRACEGATE_API_TOKEN; the README has steps to copy.',
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
    'Connect the application in this repository to the product, until each step shows what it says.',
    ...(product === undefined ? [] : [`Product: ${idText(product)}.`]),
  ],
  steps,
  without: { tool: 'save_requirement', say: WITHOUT_REQUIREMENTS },
})
