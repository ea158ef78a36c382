import { CANARY, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'what should I test next',
    'which requirements have no test',
    'show the untested requirements',
    'find missing test coverage',
    'where are our coverage gaps',
    'which tests have not run',
    'list requirements without working tests, worst first',
    'what is the riskiest thing that nobody tests',
    'coverage gaps of the checkout component',
    'which files with errors does no requirement claim',
    'what is not covered by tests',
    'close the gaps in our test coverage',
    'which requirements fail their tests',
  ],
  hostileCalls: [{}, { limit: 50 }, { branch: CANARY }, { component: 'nowhere' }, { cursor: 'nowhere' }],
}
