import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'unlink the test from the requirement',
    'remove the link between TC-7 and REQ-12',
    'the test does not prove the requirement, take the link away',
    'delete a test link',
    'this test should not count for REQ-3',
    'remove the test from the requirement',
    'unlink TC-4',
    'the link between this test and the requirement is wrong',
    'detach a test from a requirement',
    'drop the requirement link of a test',
    'undo the link of a test to a requirement',
  ],
  hostileCalls: [{ test: 'TC-1', requirement: 'REQ-1' }],
}
