import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'create a requirement',
    'add a new requirement to the product',
    'write down a requirement with acceptance criteria',
    'update the requirement REQ-12',
    'change the wording of the requirement',
    'edit the acceptance criteria of REQ-4',
    'save this as a requirement',
    'record a requirement for free shipping',
    'rename the requirement',
    'set the files of the requirement',
    'make a requirement from this sentence',
    'set the priority of requirement REQ-12 to critical',
  ],
  alone: ['clear'],
  hostileCalls: [{ requirement: 'REQ-1', title: 'The page opens at once' }],
}
