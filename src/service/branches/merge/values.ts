import * as z from 'zod'
import { Id, TimestampInput } from '../../../contract/base/common.ts'
import { contract } from '../../../contract/index.ts'
import { ServiceError } from '../../../errors.ts'
import { isObject } from '../../../lib/objects.ts'
import { updatedFields as updatedTest } from '../../quality/cases/cleared.ts'
import { updatedFields as updatedRequirement } from '../../quality/requirements/cleared.ts'
import type { EntityTypeName } from '../changes.ts'
import { hasMarks } from './text.ts'

const create = contract.createRequirement.input.shape
const Quarantine = z.object({ until: TimestampInput, reason: z.string().max(1000), owner: z.string().max(120) })

/** Schemas of one entry of a list or map, by its member; null removes the entry. */
const entries: Readonly<Record<string, z.ZodType>> = {
  acceptance_criteria: create.acceptance_criteria.unwrap().element,
  code_refs: create.code_refs.unwrap().element,
  external_refs: create.external_refs.unwrap().element,
  labels: z.string().max(500),
  depends_on_ids: Id,
}

/**
 * The value of a resolution as the member stores it; `field` is a member, or an entry of one as `labels.team`. Throws
 * `invalid_argument` if the contract does not accept it or if it still has the markers of an overlap.
 */
export function readMemberValue(type: EntityTypeName, field: string, value: unknown): unknown {
  if (texts(value).some(hasMarks))
    throw invalid(field, 'still has the markers of the two versions; write the text that should hold')
  const dot = field.indexOf('.')
  if (dot >= 0) return readEntry(field.slice(0, dot), field.slice(dot + 1), value)
  if (field === 'quarantine') return check(Quarantine.nullable(), field, value)
  const shape: Readonly<Record<string, z.ZodType>> =
    type === 'requirement' ? contract.updateRequirement.input.shape : contract.updateTest.input.shape
  const schema = shape[field]
  if (schema === undefined) throw invalid(field, 'takes no value')
  const checked = { id: '-', [field]: check(schema, field, value) }
  const fields: Readonly<Record<string, unknown>> =
    type === 'requirement' ? updatedRequirement(checked) : updatedTest(checked)
  return fields[field]
}

function readEntry(member: string, key: string, value: unknown): unknown {
  const schema = entries[member]
  if (schema === undefined) throw invalid(member, 'takes no value')
  const checked = check(schema.nullable(), member, value)
  return member === 'acceptance_criteria' && isObject(checked) ? criterion(checked, key) : checked
}

function criterion(given: Readonly<Record<string, unknown>>, id: string): unknown {
  const { kind, text = '', given: before = '', when = '', then: after = '' } = given
  const isSteps = [before, when, after].some((part) => part !== '')
  return {
    kind: kind ?? (isSteps ? 'CRITERION_KIND_GIVEN_WHEN_THEN' : 'CRITERION_KIND_RULE'),
    text,
    given: before,
    when,
    // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
    then: after,
    id,
  }
}

function check(schema: z.ZodType, field: string, value: unknown): unknown {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw invalid(field, read.error.issues[0]?.message ?? 'is not valid')
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return isObject(value) ? Object.values(value).flatMap(texts) : []
}

function invalid(field: string, description: string): ServiceError {
  const message = `the value that resolves ${field} ${description}`
  return new ServiceError('invalid_argument', message, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'resolutions', description }],
  })
}
