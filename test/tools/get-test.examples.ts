import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'show test TC-7',
    'read one test',
    'why did the test TC-12 fail',
    'last results of the test',
    'is this test flaky',
    'which requirements is the test linked to',
    'how often does the test fail',
    'where is the registered test in the code',
    'details of a registered test',
    'open TC-3',
    'history of one test',
  ],
  hostileCalls: [{ test: 'TC-1', detail: 'full' }, { test: CANARY }],
}
