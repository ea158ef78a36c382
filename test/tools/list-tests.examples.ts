import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'list the tests',
    'which tests are registered',
    'show the registered test cases',
    'search the tests for checkout',
    'test suites of the product',
    'all test cases with their last result',
    'which test cases do we have in this file',
    'which registered tests are linked to requirements',
    'find the key of a test',
    'overview of suites and cases',
    'list registered test suites and cases',
  ],
  hostileCalls: [{}, { match: 'case', limit: 50 }, { match: CANARY }],
}
