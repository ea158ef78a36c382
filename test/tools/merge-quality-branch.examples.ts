import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'merge the quality branch',
    'merge quality branch pricing into main',
    'the branch is right, merge it',
    'bring the drafted requirements into the main set',
    'merge the branch, keep our text for the conflict',
    'resolve the conflict with the branch and merge',
    'the user approves the drafts: merge the branch',
    'apply the quality branch to the main requirements',
    'finish the branch by merging it',
    'merge pricing and approve its requirements',
  ],
  hostileCalls: [{ branch: 'pricing', reason: 'agreed' }],
}
