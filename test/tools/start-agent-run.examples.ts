import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'start an agent run',
    'run the triage agent now',
    'bisect this regression with the agent',
    'kick off a coverage gap scan',
    'launch the link suggester',
    'suggest links between tests and requirements',
    'start the background agent that scans for flaky tests',
    'run the source map doctor agent',
    'find the first bad release of this regression',
    'start a new run of the nightly agent config',
    'trigger the requirement lint agent',
  ],
  // Where answers lack the state of a run, a wait lasts as long as was asked for.
  elsewhere: { wait_seconds: 0 },
  hostileCalls: [{ config: 'scan' }],
  texts: { input_json: '{"limit":5}' },
}
