import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'create a quality branch',
    'open a quality branch for the pricing change',
    'start an empty quality branch',
    'make a new quality branch named pricing',
    'I want a quality branch to draft requirements on',
    'begin a branch of the requirements',
    'set up a requirements branch without touching main',
    'new quality branch, empty',
    'create branch "checkout 2" for requirements',
    'give me an empty branch to plan requirements on',
  ],
  hostileCalls: [{ name: 'returns' }],
  newNames: ['name'],
}
