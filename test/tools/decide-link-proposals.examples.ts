import { PROPOSAL, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'accept the link proposals',
    'reject the proposed link between TC-7 and REQ-12',
    'approve these link proposals on the branch',
    'decide the open link proposals',
    'the user accepts all three proposed links',
    'turn down this link proposal',
    'accept proposal 1 and reject proposal 2',
    'review link proposals of the quality branch and accept them',
    'these proposed test links are right, accept them',
    'decline the link proposal',
  ],
  hostileCalls: [{ branch: 'pricing', accept: [PROPOSAL] }],
  oneOf: ['accept', 'reject'],
}
