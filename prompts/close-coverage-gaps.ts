import * as z from 'zod'
import { definePrompt } from '../src/mcp/define/define.ts'
import { idText } from '../src/mcp/text/id-text.ts'
import { componentNames, productNames } from '../src/mcp/surface/suggest.ts'

const steps = [
  'Call find_coverage_gaps. Say in two sentences what is open and where the risk is, and take the first row unless the user prefers another.',
  'Call get_test_context for it and read the files it lists before writing anything.',
  'Do what the row says: write the missing test, run the existing tests, finish a skipped one, fix a failing one or the code that it proves wrong, or read a test in doubt against the changed text. A test that cannot fail closes nothing.',
  'Write one case for each acceptance criterion that is not covered, as the conventions say, with the requirement named in it.',
  'Run the tests and let the runner write a report. When a test fails, find out whether the test or the code is wrong, and tell the user before changing code.',
  'Send the report with ingest_test_report, which links the cases, and say which requirements are verified now.',
  'Register cases whose names cannot have the requirement with record_tests.',
  'Go on with the next row as long as the user wants.',
]

export const closeCoverageGaps = definePrompt({
  name: 'close_coverage_gaps',
  title: 'Close coverage gaps',
  description: 'Write and run the tests that the riskiest untested requirements of a product lack, one by one.',
  args: {
    product: z.string().optional().describe('Product id or name.'),
    component: z.string().optional().describe('Component id or name, to stay in one part.'),
  },
  suggest: { product: productNames, component: componentNames },
  tools: ['find_coverage_gaps', 'get_test_context'],
  when: 'Use when the user wants missing tests written or coverage improved.',
  task: ({ product, component }) => [
    'Close the coverage gaps of the product, worst first.',
    ...(product === undefined ? [] : [`Product: ${idText(product)}.`]),
    ...(component === undefined ? [] : [`Component: ${idText(component)}.`]),
  ],
  steps,
})
