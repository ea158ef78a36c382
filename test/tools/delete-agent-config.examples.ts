import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'delete the agent config nightly triage',
    'remove this background agent',
    'delete an agent config we do not use',
    'get rid of the flaky scan agent',
    'remove the agent config',
    'drop the gate watch agent config',
    'delete the link suggester config',
    'throw away an agent configuration',
    'remove the agent and cancel its runs',
    'delete agent config',
  ],
  hostileCalls: [{ config: 'scan', reason: 'no longer used' }],
}
