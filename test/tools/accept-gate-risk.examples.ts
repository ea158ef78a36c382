import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'accept the risk of this blocker',
    'waive the failing test for this release',
    'we ship with this known problem',
    'accept the gate risk, the user decided',
    'waive the blocker of the quality gate',
    'accept the risk of failing_tests for 14 days',
    'the user accepts the risk of REQ-3 without tests',
    'take the risk of this blocker',
    'risk acceptance for the release',
    'let the release pass despite the blocker',
  ],
  hostileCalls: [{ blocker: 'failing_tests', reason: 'The user knows and fixes it next week.' }],
  texts: { reason: 'The user knows and fixes it next week.' },
}
