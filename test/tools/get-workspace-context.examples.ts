import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'which products and environments are there',
    'list my workspaces and products',
    'who am I logged in as',
    'what releases do we have',
    'look up the id of a component',
    'show the environments of the product',
    'which components does the product have',
    'find the product id by name',
    'what is my workspace called',
    'list releases and components with ids',
    'start: get context about my workspace',
    'I do not know the name of the environment',
    'which product am I connected to',
    'list environments',
    'show me the available releases of this product',
  ],
  hostileCalls: [
    {},
    { include: ['environments', 'components', 'releases', 'setup'] },
    { include: ['environments', 'releases'], match: 'kan' },
  ],
}
