import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'approve the accepted risk',
    'where does the second person approve the gate risk',
    'reject the accepted risk',
    'revoke the approval of a risk',
    'four eyes approval of the quality gate',
    'second approval for the release risk',
    'approve the waiver',
    'the colleague wants to approve the risk',
    'withdraw the approved gate risk',
    'prepare the approval of the pending risk',
  ],
  hostileCalls: [{ risk: 'failing_tests' }],
  texts: { risk: 'failing_tests' },
}
