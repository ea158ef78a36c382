import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'write a test for REQ-12',
    'generate tests for this requirement',
    'what do I need to know to write the test',
    'acceptance criteria of the requirement',
    'which acceptance criteria are covered by tests',
    'how are tests written here, the conventions',
    'existing tests linked to the requirement',
    'suggest test cases for the requirement',
    'context for writing tests of one requirement',
    'which code files implement the requirement',
    'what must a test of REQ-7 prove',
    'cases to write for this requirement',
  ],
  hostileCalls: [
    { requirement: 'REQ-1' },
    { requirement: 'REQ-1', detail: 'full' },
    { requirement: 'REQ-1', branch: CANARY },
    { requirement: CANARY },
  ],
}
