import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'delete the quality branch',
    'delete quality branch pricing',
    'throw the quality branch away',
    'discard the drafts on this branch',
    'close the quality branch without merging',
    'abandon the branch pricing',
    'get rid of the quality branch',
    'remove the branch and its drafts',
    'drop the quality branch, we do not want this change',
    'the change is cancelled, delete its branch',
  ],
  hostileCalls: [{ branch: 'pricing', reason: 'cancelled' }],
}
