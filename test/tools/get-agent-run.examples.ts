import { RUN, type ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'is the agent run finished yet',
    'how far is the bisect run',
    'show the progress of the background agent',
    'what did the triage agent find',
    'wait until the agent run is done',
    'result of the last link suggestion run',
    'list the latest runs of the nightly scan agent',
    'follow the run I just started',
    'latest events of the agent run',
    'did the background run fail and why',
    'why did the agent stop',
  ],
  // Where answers lack the state of a run, a wait lasts as long as was asked for.
  elsewhere: { wait_seconds: 0 },
  hostileCalls: [{ run: RUN }, { run: RUN, detail: 'full' }, { config: 'scan' }],
  oneOf: ['run', 'config'],
}
