import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'upload source maps',
    'the stack frames are minified',
    'send the source map of this release',
    'symbolicate the minified stack frames',
    'upload the build folder with the maps',
    'show original code instead of minified code in the stack',
    'upload a .map file for the release',
    'unminify the frames of the error',
    'source map for release 1.4.0',
    'add the missing source maps of the build',
    'upload the minified file and its map',
    'original source code for the frames',
  ],
  newNames: ['release'],
}
