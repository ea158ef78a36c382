import type { Untrusted } from '../../contract/base/text.ts'
import type { NextAction } from '../result/next-action.ts'
import { describeValue, TeachingError, type Change } from '../result/teach.ts'
import { compareName } from '../text/untrusted.ts'

interface Choice<R> {
  kind: string
  parameter: string
  /** The row's names and keys that the caller may use, its name first. */
  names(row: R): readonly (Untrusted<string> | string | undefined)[]
  /** The row's name if it may be shown. */
  label(row: R): string | undefined
  /** Whether the row is meant though its name is written differently; asked after the exact names. */
  isAlike?(row: R): boolean
  /** The row that is meant when several match; undefined where the caller has to say it. */
  prefer?(rows: readonly R[]): R | undefined
  /** The advice when several rows match, and the call that tells them apart. */
  several?(rows: readonly R[]): { expected: string; next?: NextAction; change?: Change }
  /** The call that lists the rows. */
  next: NextAction
  /** Writes do not accept prefix matches. */
  write?: boolean
  /** How many rows were looked at, where the list may have more. */
  among?: number | undefined
}

const SHOWN = 8

/**
 * Finds a row by id or name: exact id, exact name, name in another case, a name that is alike, and for
 * reads a unique prefix. Otherwise throws a
 * `TeachingError` that lists the candidates.
 */
export function chooseByName<R extends { id: string }>(given: string, rows: readonly R[], choice: Choice<R>): R {
  const byId = rows.find(({ id }) => id === given)
  if (byId !== undefined) return byId
  for (const step of choice.write === true ? exactSteps : [...exactSteps, 'prefix' as const]) {
    const matches = rows.filter((row) =>
      step === 'alike'
        ? choice.isAlike?.(row) === true
        : choice.names(row).some((name) => compareName(name, given) === step),
    )
    if (matches.length === 1 && matches[0] !== undefined) return matches[0]
    if (matches.length > 1) return choice.prefer?.(matches) ?? severalMatch(given, matches, choice)
  }
  const isUnnamed = rows.length > 0 && rows.every((row) => choice.names(row)[0] === undefined)
  if (isUnnamed && choice.among === undefined) throw unnamed(given, rows, choice)
  const where = choice.among === undefined ? '' : ` among the first ${choice.among.toLocaleString('en')}`
  throw new TeachingError('not_found', `${choice.kind} not found${where}`, {
    sent: `${choice.parameter} = ${describeValue(given)}`,
    expected:
      rows.length === 0 && where === ''
        ? `there is no ${choice.kind} yet`
        : `${where === '' ? '' : 'an id, or '}one of ${candidates(rows, choice)}`,
    next: choice.next,
  })
}

const exactSteps = ['exact', 'fold', 'alike'] as const

/** The error for a name when no row shows its name, so that no row can be compared with it. */
function unnamed<R extends { id: string }>(given: string, rows: readonly R[], choice: Choice<R>): TeachingError {
  return new TeachingError('wrong_id_kind', `this deployment does not show the names of ${choice.kind}s`, {
    sent: `${choice.parameter} = ${describeValue(given)}`,
    expected: `an id: ${candidates(rows, choice)}`,
    next: choice.next,
  })
}

function severalMatch<R extends { id: string }>(given: string, rows: readonly R[], choice: Choice<R>): never {
  const { expected, ...lesson } = choice.several?.(rows) ?? { expected: 'one id', next: choice.next }
  throw new TeachingError('ambiguous_name', `several ${choice.kind}s match`, {
    sent: `${choice.parameter} = ${describeValue(given)}`,
    expected: `${expected}: ${candidates(rows, choice)}`,
    ...lesson,
  })
}

function candidates<R extends { id: string }>(rows: readonly R[], choice: Choice<R>): string {
  // A name that only events used is not shown outside the untrusted block; its id is.
  const shown = rows.slice(0, SHOWN).map((row) => {
    const label = choice.label(row)
    return label === undefined || label === '' ? row.id : `${label} (${row.id})`
  })
  return rows.length > SHOWN ? `${shown.join(', ')} and ${String(rows.length - SHOWN)} more` : shown.join(', ')
}
