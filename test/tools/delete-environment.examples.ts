import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'delete the environment',
    'delete a misspelt environment',
    'remove environment prodution',
    'get rid of an environment',
    'this environment is a typo, delete it',
    'drop the environment staging2',
    'delete an environment that nobody uses',
    'remove a preview environment and its releases',
    'erase an environment',
    'the environment does not exist any more, delete it',
    'permanently delete an environment',
  ],
  hostileCalls: [{ environment: 'staging', dry_run: true }],
}
