import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'list the requirements',
    'which requirements does the product have',
    'what must the product do',
    'search the requirements for checkout',
    'all requirements with their status',
    'is there a requirement about refunds',
    'requirements by priority',
    'show the requirement list of the product',
    'find the requirement key',
    'overview of requirements and their coverage state',
    'which requirements are approved and which are drafts',
  ],
  hostileCalls: [{}, { match: CANARY }, { cursor: 'nowhere' }],
}
