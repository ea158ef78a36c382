import { RUN, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'cancel the agent run',
    'stop the running background agent',
    'abort the bisect run',
    'stop that agent, it takes too long',
    'cancel a queued agent run',
    'kill the triage run',
    'abort this agent run',
    'stop the scan that is running',
    'cancel the run I started',
    'end the agent run early',
  ],
  hostileCalls: [{ run: RUN }],
}
