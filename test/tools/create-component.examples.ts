import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'create a component for src/checkout',
    'add a component that owns these files',
    'map files to a component with an owner',
    'who owns src/cart, make a component of it',
    'define a component with globs',
    'set the owner of the files in src/payments',
    'new component for the billing code',
    'make a component named Checkout',
    'create a component with its owners',
    'add a component for the code in src/search',
  ],
  texts: { name: 'Another part', globs: 'src/another/**' },
  hostileCalls: [{ name: 'Another part', globs: ['src/**'] }],
}
