import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'review the quality branch',
    'what is on the branch before we merge',
    'can the quality branch be merged',
    'show the conflicts of the branch',
    'which drafts contradict what exists',
    'preview the merge of the quality branch',
    'what does merging the branch do to coverage',
    'show the drafted requirements of the branch',
    'which link proposals are open',
    'is the branch ready to merge',
    'does merging change the quality gate',
  ],
  hostileCalls: [{ branch: 'pricing' }, { branch: 'pricing', detail: 'full' }, { branch: CANARY }],
}
