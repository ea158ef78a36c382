import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'send a test event',
    'send a synthetic error event',
    'prove that error tracking works',
    'does error tracking work, send one event',
    'send a test error to the DSN',
    'fire a synthetic event through the DSN',
    'try the DSN with one event',
    'send one event to prove that the ingest works',
    'send a fake error to development',
    'emit a test error event',
  ],
  // Production needs a person.
  texts: { environment: 'development' },
  newNames: ['environment', 'release'],
}
