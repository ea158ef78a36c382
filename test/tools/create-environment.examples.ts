import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'create an environment named staging',
    'add the environment preview',
    'create a staging environment',
    'make an environment for the demo server',
    'create environment qa',
    'add a staging environment to the product',
    'take over the environment that events named',
    'register an environment',
    'create the environment canary',
    'create a new environment',
  ],
  texts: { name: 'another' },
  hostileCalls: [{ name: 'preview' }],
}
