import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'show me the stack trace of SHOP-31',
    'details of this error issue',
    'how often does this crash occur',
    'when was the error first seen',
    'in which environment does this exception happen',
    'inspect one error issue',
    'message and stack trace of the latest occurrence',
    'look at another occurrence of the crash',
    'status and counts of an error issue',
    'first and last seen of the issue',
    'show the exception SHOP-7 in detail',
    'what does the stack trace of the error say',
    'open the error with this id',
    'how often and when does the bug occur',
    'latest event of the error issue',
  ],
  hostileCalls: [
    { issue: 'APP-1', detail: 'full', include: ['stats', 'events'] },
    { issue: 'APP-2', include: ['events', 'variation', 'values'] },
    { issue: 'APP-3', event: 'nowhere' },
    { issue: 'APP-4', event: '0'.repeat(32) },
    { issue: CANARY },
  ],
}
