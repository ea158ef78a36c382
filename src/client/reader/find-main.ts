import { isObject, type JsonObject } from '../../lib/objects.ts'
import { readMember } from './read-schema.ts'

/** What a response is about, as the contract names it. */
export interface Main {
  /** Its member in the response. */
  name: string
  /** The members of the response, in snake_case and camelCase. */
  answerNames: ReadonlySet<string>
  /** The members of the resource or of each row, in snake_case and camelCase. */
  names: ReadonlySet<string>
  /** Whether the contract requires an id: an object without one is not the resource or a row. */
  hasId: boolean
  /** Whether the answer may be about nothing. */
  isNullable: boolean
}

export interface FoundRows {
  rows: unknown[]
  /** The members next to them. */
  around: JsonObject
  /** Whether the answer has paging members and no list. */
  isAbsent?: boolean
}

/** Members next to a list that are never its rows, or around a resource that never hold it. */
const ASIDE = new Set(
  'error errors warnings messages details links _links included meta metadata pagination paging page page_info pageInfo'.split(
    ' ',
  ),
)
/** Usual names of lists whose name says nothing about the rows. */
const LISTS = new Set(
  'items rows results result records entries list elements values value data content nodes'.split(' '),
)

/**
 * The rows of a list: under their name, bare, or in the one list whose objects have the members of the contract's rows;
 * all of these also one level further in. A response without rows is an empty list only if it says that it is a list: by
 * the name of the rows, an empty list under a usual name, or paging. `{}` does not say it. A gateway that leaves empty
 * members out answers so, but so do stubs, proxies and other endpoints; gateways send empty members by default, and an
 * error about the shape is safer than the false statement that the token sees no product. Returns undefined if there is no list.
 */
export function findRows(main: Main, answer: unknown, mayUnwrap = true): FoundRows | undefined {
  if (Array.isArray(answer)) return { rows: flatRows(main, answer), around: {} }
  if (!isObject(answer)) return undefined
  const named = readMember(answer, main.name)
  if (Array.isArray(named)) return { rows: named as unknown[], around: answer }
  if (isRefusal(answer)) return undefined
  const rows = rowsByShape(main, answer)
  if (rows !== undefined) return { rows, around: answer }
  const inner = mayUnwrap
    ? wrapped({ ...main, names: new Set() }, answer).flatMap((value) => findRows(main, value, false) ?? [])
    : []
  const [first] = inner
  if (first !== undefined) return inner.length === 1 ? { ...first, around: { ...answer, ...first.around } } : undefined
  return saysNoRows(main, answer)
    ? { rows: [], around: answer, isAbsent: foreignLists(main, answer).length === 0 }
    : undefined
}

/**
 * The object that a response is about: the answer itself, its only fitting member, or what is wrapped in one; undefined
 * where there is none or several fit equally.
 */
export function findObject(main: Main, answer: JsonObject): JsonObject | undefined {
  const own = fit(main, answer)
  const inner = wrapped(main, answer)
    .map((value) => flat(main, value))
    .map((value) => ({ value, fit: holdsMain(main, value) ? Infinity : fit(main, value) }))
    .sort((one, other) => other.fit - one.fit)
  const [best, next] = inner
  if (best !== undefined && best.fit > own) return best.fit === next?.fit ? undefined : best.value
  return own > 0 && (main.hasId || !isRefusal(answer)) ? answer : undefined
}

/** Whether the answer has the resource under its name. */
export function holdsMain({ name, isNullable }: Main, answer: JsonObject): boolean {
  const value = readMember(answer, name)
  return isObject(value) || (isNullable && value === null)
}

/** How many members of the resource an object has; 0 without a required id. */
function fit({ names, hasId }: Main, value: JsonObject): number {
  if (hasId && !('id' in value)) return 0
  return Object.keys(value).filter((name) => names.has(name)).length
}

/** Objects in the answer that may hold what it is about and that the contract does not name. */
function wrapped({ name, names, answerNames }: Main, answer: JsonObject): JsonObject[] {
  return Object.entries(answer).flatMap(([member, value]) => {
    const isContracts = member !== name && (answerNames.has(member) || names.has(member))
    return isObject(value) && !isContracts && !ASIDE.has(member) ? [value] : []
  })
}

/** Lists under names that are not the contract's. */
function foreignLists({ answerNames }: Main, answer: JsonObject): [string, unknown[]][] {
  return Object.entries(answer).filter(
    (entry): entry is [string, unknown[]] =>
      Array.isArray(entry[1]) && !answerNames.has(entry[0]) && !ASIDE.has(entry[0]),
  )
}

function rowsByShape(main: Main, answer: JsonObject): unknown[] | undefined {
  const fitting = foreignLists(main, answer)
    .map(([, list]) => flatRows(main, list))
    .map((rows) => ({ rows, fit: fit(main, rows.find(isObject) ?? {}) }))
    .filter((one) => one.fit > 0)
    .sort((one, other) => other.fit - one.fit)
  const [best, next] = fitting
  return best?.fit === next?.fit ? undefined : best?.rows
}

/** Whether the answer is a list without rows. */
function saysNoRows(main: Main, answer: JsonObject): boolean {
  const lists = foreignLists(main, answer)
  if (lists.some(([name, list]) => LISTS.has(name) && list.length === 0)) return true
  if (lists.some(([, list]) => list.length > 0) || isObject(readMember(answer, main.name))) return false
  const names = Object.keys(answer)
  return names.some((name) => main.answerNames.has(name)) || (lists.length === 1 && names.some(isPaging))
}

function isPaging(name: string): boolean {
  return /^(?:pag(?:e|ing|ination)(?:_?info)?|next_?(?:page_?)?(?:token|cursor))$/i.test(name)
}

/** Whether the answer says that the call failed, although its status is 2xx. */
function isRefusal({ success, ok, error, errors, code, message, details }: JsonObject): boolean {
  if (success === false || ok === false || hasContent(error) || hasContent(errors)) return true
  return code !== undefined && (message !== undefined || details !== undefined)
}

function hasContent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return value === true || (typeof value === 'string' && value !== '')
}

/** Rows of JSON:API, `{id, type, attributes}`, with their attributes as members. */
function flatRows(main: Main, rows: readonly unknown[]): unknown[] {
  return rows.map((row) => (isObject(row) ? flat(main, row) : row))
}

function flat({ names }: Main, { attributes, ...row }: JsonObject): JsonObject {
  if (!isObject(attributes) || names.has('attributes')) return attributes === undefined ? row : { ...row, attributes }
  return { ...attributes, id: row['id'] }
}
