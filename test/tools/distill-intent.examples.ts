import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'plan this feature',
    'turn this discussion into requirements',
    'draft requirements from the change request',
    'write requirements from these user stories',
    'distill the meeting notes into requirements',
    'here is what the customer wants, plan it',
    'make a quality branch from this specification',
    'convert the gherkin feature into draft requirements',
    'what should change in the requirements because of this text',
    'plan the change that we discussed',
    'import the requirements of this document as drafts',
  ],
  hostileCalls: [{ intent: `The shop must show ${CANARY}.`, branch: 'pricing' }],
  newNames: ['branch'],
  oneOf: ['intent', 'path', 'items'],
  texts: {
    intent: 'The cart must show the delivery day.',
    title: 'The cart shows the delivery day',
    requirement: 'REQ-1',
  },
}
