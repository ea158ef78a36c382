import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'send the junit report',
    'upload the test results',
    'report the vitest run',
    'ingest the playwright results',
    'the tests ran, record their results',
    'send the test run so that the gap closes',
    'import a ctrf report',
    'parse reports/junit.xml',
    'publish jest results of this run',
    'submit the TAP output of the tests',
    'what did the test run change in coverage',
    'send the report of my test run',
  ],
  hostileCalls: [{ report: '<testsuite><testcase name="a [REQ-1]"><failure/></testcase></testsuite>' }],
  newNames: ['environment', 'release'],
  oneOf: ['report', 'path'],
  texts: {
    report: '<testsuites><testsuite name="cart"><testcase classname="cart" name="adds up"/></testsuite></testsuites>',
  },
  // A deployment without previews stores the report.
  elsewhere: { dry_run: false },
}
