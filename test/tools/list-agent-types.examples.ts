import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'list the agent types',
    'which kinds of built-in agents are there',
    'what agents can I configure',
    'show agent types',
    'which built-in agents exist',
    'kinds of agents with what they read and write',
    'list the built-in agents',
    'what does each agent type read',
    'agent types of the service',
    'which agent kinds can a configuration use',
  ],
  hostileCalls: [{}],
}
