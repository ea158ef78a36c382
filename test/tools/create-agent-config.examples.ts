import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'create an agent config for the coverage gap scan',
    'set up a background agent that triages issues',
    'configure the link suggester agent for this product',
    'add an agent that watches the gate',
    'create a nightly triage agent',
    'set up an agent for flaky tests',
    'make a new agent config of type regression_bisect',
    'configure a background agent with its own input',
    'create a source map doctor agent',
    'new agent for requirement wording',
  ],
  hostileCalls: [{ type: 'coverage_gap_scan' }],
  // The types belong to no product.
  newNames: ['type'],
  texts: { input_json: '{"limit":5}' },
}
