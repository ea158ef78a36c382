import { hash } from 'node:crypto'
import { ServiceError } from '../../../errors.ts'
import type { EntityTypeName } from '../changes.ts'
import { canonical } from './canonical.ts'
import type { ConflictBody, ConflictTypeName, ResolutionName, Resolutions, Sides } from './types.ts'

export interface Subject {
  entityType: EntityTypeName
  id: string
  key: string
}

/** A conflict that was found, with what each answer means. */
export interface Clash extends Sides {
  type: ConflictTypeName
  /** Empty if it is about the whole requirement or test. */
  field: string
  suggested: ResolutionName
  /** With `RESOLUTION_USE_VALUE`; else the value of the suggested side. */
  suggestedValue?: unknown
  message: string
  /** Why an answer is not possible, by answer. */
  refused?: Partial<Record<ResolutionName, string>>
  /** Checks a given value and returns it as it is stored. Without it no value can be given. */
  readValue?: (value: unknown) => unknown
}

export interface Settled {
  choice: ResolutionName
  value: unknown
  isResolved: boolean
}

export interface Settler {
  settle(subject: Subject, clash: Clash): Settled
  readonly conflicts: ConflictBody[]
  readonly unresolved: ConflictBody[]
}

/**
 * Collects conflicts and answers each with its resolution or, without one, as suggested. An answer that is not
 * possible is `invalid_argument`.
 */
export function createSettler(resolutions: Resolutions): Settler {
  const conflicts: ConflictBody[] = []
  const unresolved: ConflictBody[] = []
  const settle = (subject: Subject, clash: Clash): Settled => {
    const conflict = describe(subject, clash)
    conflicts.push(conflict)
    const given = resolutions.get(conflict.id)
    if (given === undefined) {
      unresolved.push(conflict)
      return { choice: clash.suggested, value: conflict.suggested_value, isResolved: false }
    }
    const refusal = clash.refused?.[given.resolution]
    if (refusal !== undefined) throw invalidResolution(conflict.id, `${given.resolution} is not possible: ${refusal}`)
    const value = given.resolution === 'RESOLUTION_USE_VALUE' ? readValue(conflict.id, clash, given.value) : undefined
    return { choice: given.resolution, value: sideValue(clash, given.resolution, value), isResolved: true }
  }
  return { settle, conflicts, unresolved }
}

/** `invalid_argument` for the resolution of one conflict. */
export function invalidResolution(conflictId: string, description: string): ServiceError {
  return new ServiceError('invalid_argument', `the resolution of conflict ${conflictId} is not valid: ${description}`, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'resolutions', description }],
  })
}

function describe({ entityType, id, key }: Subject, clash: Clash): ConflictBody {
  const { type, field, base = null, main = null, branch = null, suggested, message } = clash
  const identity = canonical([type, entityType, id, field, base, main, branch])
  return {
    id: hash('sha256', identity, 'hex').slice(0, 16),
    type,
    entity_type: entityType,
    entity_id: id,
    key,
    field,
    base,
    main,
    branch,
    suggested,
    suggested_value: sideValue(clash, suggested, clash.suggestedValue) ?? null,
    message,
  }
}

function sideValue({ main, branch }: Sides, choice: ResolutionName, value: unknown): unknown {
  if (choice === 'RESOLUTION_USE_MAIN') return main
  return choice === 'RESOLUTION_USE_BRANCH' ? branch : value
}

function readValue(id: string, clash: Clash, value: unknown): unknown {
  if (clash.readValue === undefined)
    throw invalidResolution(id, 'it takes no value, only RESOLUTION_USE_MAIN or RESOLUTION_USE_BRANCH')
  if (value === undefined) throw invalidResolution(id, 'RESOLUTION_USE_VALUE needs a value')
  return clash.readValue(value)
}
