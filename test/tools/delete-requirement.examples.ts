import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'delete the requirement',
    'delete requirement REQ-12',
    'remove this requirement for good',
    'the requirement no longer applies, delete it',
    'get rid of an obsolete requirement',
    'erase a requirement and its links',
    'drop requirement REQ-3',
    'this requirement was a mistake, delete it',
    'delete a duplicate requirement',
    'throw the requirement away',
    'permanently remove a requirement',
  ],
  hostileCalls: [{ requirement: 'REQ-1', reason: 'obsolete', dry_run: true }],
}
