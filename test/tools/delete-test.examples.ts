import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'delete the registered test',
    'delete TC-7',
    'the test is no longer in the code, delete it',
    'delete a test that is no longer in the code',
    'delete a stale registered test',
    'delete an obsolete test from the list',
    'delete test TC-3 and its links',
    'erase a test for good',
    'the test file was deleted, delete its test here too',
    'permanently delete a test',
    'delete a duplicate test',
  ],
  hostileCalls: [{ test: 'TC-1', reason: 'obsolete', dry_run: true }],
}
