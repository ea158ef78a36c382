import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'register the tests I wrote',
    'link this test to the requirement',
    'record the new test case',
    'add my test cases to the requirement they prove',
    'connect the test with REQ-12',
    'confirm the link between test and requirement',
    'update the registered test cases',
    'register test cases in the repository',
    'tell which requirements my tests prove',
    'link test cases to requirements',
    'save the tests I added',
  ],
  hostileCalls: [{ tests: [{ title: 'case 0 [REQ-1]', file: 'test/page.test.ts', requirement_ids: ['REQ-1'] }] }],
}
