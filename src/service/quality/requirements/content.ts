import { createHash } from 'node:crypto'
import type { InputOf } from '../../../contract/index.ts'
import { ServiceError, type FieldViolation } from '../../../errors.ts'
import { validateGlob } from '../../workspace/glob.ts'
import type { Criterion, RequirementBody, StoredCodeRef } from './columns.ts'

type Input = InputOf<'createRequirement'>

/**
 * What a requirement says, as one digest: title, statement and criteria without differences of spacing (contract §3). An
 * edit that leaves it alike changes no meaning.
 */
export function contentHash(content: Pick<RequirementBody, 'title' | 'statement' | 'acceptance_criteria'>): string {
  const criteria = content.acceptance_criteria.map(({ text, given, when, then }) =>
    [text, given, when, then].map(spaced),
  )
  return createHash('sha256')
    .update(JSON.stringify([spaced(content.title), spaced(content.statement), criteria]))
    .digest('hex')
}

function spaced(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

/**
 * The criteria of a request: those that name an id keep it, the others get a new one. Throws `invalid_argument` for an id
 * that the requirement does not have, and for a criterion that says nothing.
 */
export function readCriteria(
  given: NonNullable<Input['acceptance_criteria']>,
  known: readonly Criterion[],
  newId: () => string,
): Criterion[] {
  const ids = new Set(known.map(({ id }) => id))
  return given.map((one, position) => {
    const field = `acceptance_criteria.${String(position)}`
    if (one.id !== undefined && !ids.delete(one.id)) {
      throw invalid([
        { field: `${field}.id`, description: 'must be the id of a criterion that the requirement has, once' },
      ])
    }
    const { text = '', given: before = '', when = '', then: after = '' } = one
    if ([text, before, when, after].every((part) => part.trim() === '')) {
      throw invalid([{ field: `${field}.text`, description: 'must say something, as text or as given, when and then' }])
    }
    const isSteps = [before, when, after].some((part) => part !== '')
    return {
      id: one.id ?? newId(),
      position,
      kind: one.kind ?? (isSteps ? 'CRITERION_KIND_GIVEN_WHEN_THEN' : 'CRITERION_KIND_RULE'),
      text,
      given: before,
      when,
      // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
      then: after,
    }
  })
}

/** The code references of a request with `/` between folders. Throws `GLOB_INVALID` where a path could not be matched. */
export function readCodeRefs(given: NonNullable<Input['code_refs']>): StoredCodeRef[] {
  const refs = given.map(({ path, symbol = '', start_line = 0, end_line = 0, source, confidence = 1 }) => ({
    path: path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, ''),
    symbol,
    start_line,
    end_line,
    source: source ?? ('CODE_REF_SOURCE_DECLARED' as const),
    confidence,
  }))
  const violations = refs.flatMap(({ path }, index): FieldViolation[] => {
    const problem = validateGlob(path)
    return problem === undefined ? [] : [{ field: `code_refs.${String(index)}.path`, description: problem }]
  })
  if (violations.length > 0) throw invalid(violations, 'GLOB_INVALID')
  return refs
}

/** A refusal of members of the request, the first of them in words. */
export function invalid(violations: FieldViolation[], reason = 'FIELD_INVALID'): ServiceError {
  const first = violations[0]
  return new ServiceError(
    'invalid_argument',
    `${first?.field ?? 'the request'} ${first?.description ?? 'is not valid'}`,
    {
      reason,
      violations,
    },
  )
}
