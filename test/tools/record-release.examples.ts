import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'record the release 1.5.0 in production',
    'we deployed 1.5.0, record it',
    'register a new release',
    'create a release for this version',
    'record a deploy of this commit',
    'set the commit of a release',
    'tell the error tracker about the deploy',
    'mark version 2.0 as deployed in staging',
    'update the commit of the release',
    'add a release with its commit hash',
    'new deploy in production, record the version',
  ],
  newNames: ['environment'],
  texts: { version: 'shop@1.6.0', commit: '0123456789abcdef' },
  hostileCalls: [{ version: '9.9.9', environment: 'production', commit: '0123456' }],
}
