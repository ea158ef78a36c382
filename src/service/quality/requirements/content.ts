import { createHash } from 'node:crypto'
import type { InputOf } from '../../../contract/index.ts'
import { ServiceError, type FieldViolation } from '../../../errors.ts'
import { validateGlob } from '../../workspace/components/glob.ts'
import type { Criterion, RequirementBody, StoredCodeRef } from './columns.ts'

type Input = InputOf<'createRequirement'>

/**
 * A digest of the content of a requirement: title, statement and criteria with normalized white space (contract §3). An
 * edit that does not change it does not change the meaning.
 */
export function contentHash(content: Pick<RequirementBody, 'title' | 'statement' | 'acceptance_criteria'>): string {
  const criteria = content.acceptance_criteria.map(({ text, given, when, then }) =>
    [text, given, when, then].map(spaced),
  )
  return createHash('sha256')
    .update(JSON.stringify([spaced(content.title), spaced(content.statement), criteria]))
    .digest('hex')
}

/** A criterion in one line: its text or name, then Given, When and Then. */
export function criterionInWords({ text, given, when, then }: Omit<Criterion, 'id' | 'position' | 'kind'>): string {
  return [text, given && `Given ${given}`, when && `when ${when}`, then && `then ${then}`].filter(Boolean).join(', ')
}

function spaced(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

/**
 * Reads the criteria of a request: those with an id keep it, the others get a new one. Throws `invalid_argument` for an
 * id that the requirement does not have, and for an empty criterion.
 */
export function readCriteria(
  given: NonNullable<Input['acceptance_criteria']>,
  known: readonly Pick<Criterion, 'id'>[],
  newId: () => string,
): Criterion[] {
  const ids = new Set(known.map(({ id }) => id))
  return given.map((one, position) => {
    const field = `acceptance_criteria.${String(position)}`
    if (one.id !== undefined && !ids.delete(one.id)) {
      throw invalid([
        { field: `${field}.id`, description: 'must be the id of an existing criterion of the requirement, used once' },
      ])
    }
    const { text = '', given: before = '', when = '', then: after = '' } = one
    if ([text, before, when, after].every((part) => part.trim() === '')) {
      throw invalid([{ field: `${field}.text`, description: 'must not be empty: set text, or given, when and then' }])
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

/** Reads the code references of a request, with `/` as separator. Throws `GLOB_INVALID` for an invalid glob. */
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

/** Creates `invalid_argument` for members of the request; the message describes the first violation. */
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
