import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'show the release 1.4.0',
    'which commit is this release',
    'what new errors did the release bring',
    'error issues that first appeared in the release',
    'when was version 1.4.0 released',
    'read one release',
    'which release came before it',
    'details of the release in production',
    'verdict of the release',
    'what is the commit of the deployed release',
    'open release shop@1.4.0',
  ],
  hostileCalls: [{ release: 'hostile' }, { release: 'shop@1.4.0', limit: 50 }],
}
