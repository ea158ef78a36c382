import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'approve the requirement',
    'approve draft requirements',
    'approve REQ-12 and REQ-13',
    'the user accepts these requirements',
    'sign off the drafted requirements',
    'make the draft requirements count in the gate',
    'activate the requirement',
    'the requirement is agreed, approve it',
    'turn the proposed requirements into approved ones',
    'set the requirement to approved',
  ],
  hostileCalls: [{ requirements: ['REQ-1'], dry_run: true }],
}
