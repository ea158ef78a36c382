import type { Way } from '../../../src/mcp/define/define.ts'

/** How the service names the ways in which a person confirms. */
export const waysOfDecision = {
  form: 'DECISION_WAY_FORM',
  handle: 'DECISION_WAY_HANDLE',
  page: 'DECISION_WAY_PAGE',
  terminal: 'DECISION_WAY_TERMINAL',
} as const satisfies Record<Way, string>
