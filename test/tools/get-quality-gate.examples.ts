import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'can we ship',
    'is the release blocked',
    'show the quality gate',
    'why does the quality gate fail',
    'what is the verdict of the quality gate',
    'which risks were accepted and who approved them',
    'requirement to test traceability matrix',
    'what does the gate exclude without an acceptance',
    'is the quality gate green',
    'read the latest verdict',
    'what is new in the gate since last time',
    'go or no-go for this release',
  ],
  hostileCalls: [
    {},
    { view: 'traceability', limit: 50 },
    { git_branch: CANARY },
    { only: 'new' },
    { release: 'nowhere' },
  ],
  texts: { commit: '3f2a91c0de' },
}
