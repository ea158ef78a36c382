import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'create a product for the mobile app',
    'create a new product',
    'create a new product in the error tracker',
    'set up error tracking for a new application',
    'I need a DSN for a new app',
    'register the new service as a product',
    'make a product named Checkout',
    'get the DSN of a new project',
    'create a project and return its DSN',
    'new application, give me an address for its SDK',
  ],
  // The checks over things of other products know no workspace: its own test has one that is not there.
  newNames: ['workspace'],
  // One that is there: a second product would make every other call name one.
  texts: { name: 'My product' },
  hostileCalls: [{ name: 'Another shop' }],
}
