import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'recompute the quality gate',
    'run the quality gate again',
    'refresh the gate verdict',
    'compute the verdict for release 1.4.1',
    'judge this commit with the quality gate',
    'the gate is stale, compute it',
    'what still blocks the release now',
    'update the quality gate from the new test results',
    'quality gate for the git branch',
    'what is the path to green',
    'check the gate after the fix',
  ],
  hostileCalls: [{}, { git_branch: CANARY }, { release: 'nowhere' }],
  texts: { commit: '3f2a91c0de' },
}
