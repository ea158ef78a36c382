import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'read requirement REQ-12',
    'show me the requirement in full',
    'what are the acceptance criteria of REQ-7',
    'the statement of the requirement',
    'which tests are linked to this requirement',
    'open REQ-3',
    'details of one requirement',
    'which code files implement the requirement',
    'what is below this requirement',
    'full text of a requirement with its criteria',
    'read one requirement',
  ],
  hostileCalls: [{ requirement: 'REQ-1' }, { requirement: 'REQ-1', detail: 'full' }, { requirement: CANARY }],
}
