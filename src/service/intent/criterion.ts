import type { DraftCriterion } from './types.ts'

/** A criterion that is a sentence. */
export function ruleCriterion(text: string): DraftCriterion {
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { kind: 'CRITERION_KIND_RULE', text, given: '', when: '', then: '' }
}

/** A criterion of Given, When and Then. `text` says more, such as a name or rows of examples. */
export function scenarioCriterion(steps: { given: string; when: string; then: string }, text = ''): DraftCriterion {
  return { kind: 'CRITERION_KIND_GIVEN_WHEN_THEN', text, ...steps }
}
