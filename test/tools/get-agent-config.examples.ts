import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'which agent types are there',
    'what can the background agents do',
    'which input does the regression bisect agent take',
    'show the agent config nightly triage',
    'list the built-in agents and what each is for',
    'what does the link suggester agent write',
    'how is the flaky scan agent configured',
    'input of an agent config',
    'kinds of agents with their inputs',
    'last runs and settings of an agent config',
  ],
  hostileCalls: [{}, { config: 'scan' }],
}
