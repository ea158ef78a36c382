import type * as z from 'zod'
import type { Endpoint } from '../contract/base/endpoint.ts'
import { isObject } from '../lib/objects.ts'
import { camelCase, compileReader, readMember, objectReader, unusable, type ReadValue } from './read-schema.ts'

/**
 * The tolerant reader of contract §0.9: turns the response of any deployment into the members of the contract's result,
 * guided by its schema. In addition to what `compileReader` accepts, the main member may be unwrapped or wrapped once more,
 * a list may have another name or be bare, and the paging token may be in either place. Throws `upstream_shape_unknown` when no main
 * member can be found. Compiled once per endpoint.
 */
export function readAnswer(endpoint: Pick<Endpoint, 'returns'>, answer: unknown): Record<string, unknown> {
  let read = compiled.get(endpoint)
  if (read === undefined) {
    const shape = endpoint.returns.shape
    const readMembers = compileAnswer(shape)
    read = 'next_page_token' in shape ? (value) => withOneToken(readMembers(value)) : readMembers
    compiled.set(endpoint, read)
  }
  return read(answer)
}

type ReadAnswer = (answer: unknown) => Record<string, unknown>

const compiled = new WeakMap<object, ReadAnswer>()

/** The members of a response; the first is the main one. */
interface ResponseMembers {
  main: string
  /** Schema of the main member without `nullable`. */
  schema: z.core.$ZodType
  nullable: boolean
  names: ReadonlySet<string>
  readAll: ReadValue
}

function compileAnswer(shape: Readonly<Record<string, z.core.$ZodType>>): ReadAnswer {
  const [main] = Object.keys(shape)
  const first = main === undefined ? undefined : shape[main]
  const readAll = objectReader(shape, 'answer')
  if (main === undefined || first === undefined) return () => ({})
  const nullable = first._zod.def.type === 'nullable'
  const members: ResponseMembers = {
    main,
    schema: withoutNull(first),
    nullable,
    names: new Set(Object.keys(shape).flatMap((name) => [name, camelCase(name)])),
    readAll,
  }
  const { type } = members.schema._zod.def
  if (type === 'array') return (answer) => listAnswer(members, answer)
  if (type === 'object') return singleReader(members, shape)
  return (answer) => readObject(readAll, answer)
}

function withoutNull(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'nullable' || def.type === 'optional' ? withoutNull(def.innerType) : schema
}

function readObject(readAll: ReadValue, answer: unknown): Record<string, unknown> {
  const result = readAll(answer)
  // objectReader returns an object for every object, and undefined for null and undefined.
  if (!isObject(result)) throw unusable('answer', 'object')
  return result
}

function listAnswer(members: ResponseMembers, answer: unknown): Record<string, unknown> {
  const { rows, around } = findRows(members, answer, true)
  return readObject(members.readAll, { ...around, [members.main]: rows })
}

/** Puts the paging token in both places, from whichever one the service used. */
function withOneToken(result: Record<string, unknown>): Record<string, unknown> {
  const paging = isObject(result['pagination']) ? result['pagination'] : undefined
  const token = text(result['next_page_token']) || text(paging?.['next_page_token'])
  if (token === undefined) return result
  if (paging !== undefined) paging['next_page_token'] = token
  return { ...result, next_page_token: token }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The array of a list: under its name, as the only other array, bare, or any of these one level deeper. */
function findRows(
  members: ResponseMembers,
  answer: unknown,
  mayUnwrap: boolean,
): { rows: unknown[]; around: Record<string, unknown> } {
  const { main, names } = members
  if (Array.isArray(answer)) return { rows: answer as unknown[], around: {} }
  if (!isObject(answer)) throw unusable('answer', `list ${main}`)
  const named = readMember(answer, main)
  if (Array.isArray(named)) return { rows: named as unknown[], around: answer }
  const others = Object.entries(answer).filter(([name]) => !names.has(name))
  const arrays = others.map(([, value]) => value).filter((value) => Array.isArray(value))
  if (arrays.length === 1) return { rows: arrays[0] as unknown[], around: answer }
  const only = others.length === 1 ? others[0]?.[1] : undefined
  if (mayUnwrap && isObject(only)) return findRows(members, only, false)
  // An empty list that a gateway omitted; a response without any known member is refused.
  if (others.length === 0) return { rows: [], around: answer }
  throw unusable('answer', `list ${main}`)
}

function singleReader(members: ResponseMembers, shape: Readonly<Record<string, z.core.$ZodType>>): ReadAnswer {
  const { main, schema, nullable, names, readAll } = members
  const { def } = (schema as z.core.$ZodTypes)._zod
  const mainShape = def.type === 'object' ? def.shape : {}
  const mainNames = new Set(Object.keys(mainShape).flatMap((name) => [name, camelCase(name)]))
  const readMain = compileReader(schema, main)
  const siblings = Object.keys(shape).filter((name) => name !== main && !mainNames.has(name))

  function unwrapped(answer: Record<string, unknown>): Record<string, unknown> {
    const around = Object.fromEntries(siblings.map((name) => [name, readMember(answer, name)]))
    return { ...readObject(readAll, { ...around, [main]: null }), [main]: readMain(answer) }
  }

  function read(answer: unknown, mayUnwrap: boolean): Record<string, unknown> {
    if (!isObject(answer)) throw unusable('answer', `object ${main}`)
    const keys = Object.keys(answer)
    if (isObject(readMember(answer, main))) return readObject(readAll, answer)
    if (mainNames.has('id') && 'id' in answer) return unwrapped(answer)
    if (nullable && keys.some((key) => names.has(key))) return readObject(readAll, answer)
    const inner = keys.length === 1 ? answer[keys[0] ?? ''] : undefined
    if (keys.some((key) => mainNames.has(key)) && !keys.some((key) => names.has(key))) return unwrapped(answer)
    if (mayUnwrap && isObject(inner)) return read(inner, false)
    throw unusable('answer', `object ${main}`)
  }

  return (answer) => read(answer, true)
}
