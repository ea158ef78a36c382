import type * as z from 'zod'
import type { Endpoint } from '../../contract/base/endpoint.ts'
import { isObject, type JsonObject } from '../../lib/objects.ts'
import { findObject, findRows, holdsMain, type Main } from './find-main.ts'
import { readPaging } from './read-paging.ts'
import { camelCase, compileReader, objectReader, readMember, requiresId, unusable } from './read-schema.ts'
import type { ReadValue } from './read-values.ts'

/**
 * The tolerant reader of contract §0.9: turns the response of any deployment into the members of the contract's result,
 * guided by its schema. Throws `upstream_shape_unknown` when no main member can be found. Compiled once per endpoint.
 */
export function readAnswer(endpoint: Pick<Endpoint, 'returns'>, answer: unknown): Record<string, unknown> {
  let read = compiled.get(endpoint)
  if (read === undefined) {
    read = compileAnswer(endpoint.returns.shape)
    compiled.set(endpoint, read)
  }
  return read(answer)
}

type Shape = Readonly<Record<string, z.core.$ZodType>>
type ReadAnswer = (answer: unknown) => Record<string, unknown>

const compiled = new WeakMap<object, ReadAnswer>()

function compileAnswer(shape: Shape): ReadAnswer {
  const [name] = Object.keys(shape)
  const first = name === undefined ? undefined : shape[name]
  if (name === undefined || first === undefined) return () => ({})
  const schema = withoutNull(first)
  const { def } = (schema as z.core.$ZodTypes)._zod
  const readAll = objectReader(shape, 'answer')
  const item = def.type === 'array' ? withoutNull(def.element) : schema
  const isNullable = first._zod.def.type === 'nullable'
  const main: Main = { name, isNullable, answerNames: bothCases(shape), ...membersIn(item) }
  if (def.type === 'array') return listReader(main, readAll, 'next_page_token' in shape)
  if (def.type !== 'object') return (answer) => readObject(readAll, answer)
  const read = singleReader({ main, schema, shape, readAll })
  return 'next_page_token' in shape ? (answer) => withPaging(read(answer), answer, 0) : read
}

function withoutNull(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'nullable' || def.type === 'optional' ? withoutNull(def.innerType) : schema
}

function membersIn(schema: z.core.$ZodType): Pick<Main, 'names' | 'hasId'> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const shape = def.type === 'object' ? def.shape : {}
  return { names: bothCases(shape), hasId: requiresId(shape['id']) }
}

function bothCases(shape: Shape): Set<string> {
  return new Set(Object.keys(shape).flatMap((name) => [name, camelCase(name)]))
}

function readObject(readAll: ReadValue, answer: unknown): Record<string, unknown> {
  const result = readAll(answer)
  // objectReader returns an object for every object, and undefined for null and undefined.
  if (!isObject(result)) throw unusable('answer', 'object')
  return result
}

function listReader(main: Main, readAll: ReadValue, isPaged: boolean): ReadAnswer {
  return (answer) => {
    const found = findRows(main, answer)
    if (found === undefined) throw unusable('answer', `list ${main.name}`)
    const result = readObject(readAll, { ...found.around, [main.name]: found.rows })
    if (!isPaged) return result
    const { total_size: total } = readPaging(answer, 0)
    // Without its rows it is not known why a list that has some shows none.
    if (found.isAbsent && total !== undefined && total > 0) throw unusable('answer', `list ${main.name}`)
    const rows = result[main.name]
    return withPaging(result, answer, Array.isArray(rows) ? rows.length : 0)
  }
}

/** The result with what the answer says about paging, in both places of the contract, and nothing that it does not say. */
function withPaging(result: Record<string, unknown>, answer: unknown, shown: number): Record<string, unknown> {
  const { next_page_token: _, pagination: __, ...rest } = result
  const paging = stated(readPaging(answer, shown))
  const { next_page_token: token } = paging
  return {
    ...rest,
    ...(token !== undefined && { next_page_token: token }),
    ...(Object.keys(paging).length > 0 && { pagination: paging }),
  }
}

function stated(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

interface Single {
  main: Main
  schema: z.core.$ZodType
  shape: Shape
  readAll: ReadValue
}

function singleReader({ main, schema, shape, readAll }: Single): ReadAnswer {
  const readMain = compileReader(schema, main.name)
  const siblings = Object.keys(shape).filter((name) => name !== main.name && !main.names.has(name))

  // Paging may be next to a resource that is not wrapped: it says nothing of what the answer is about.
  const ownNames = new Set([...main.answerNames].filter((name) => !/^(?:next_?page_?token|pagination)$/i.test(name)))

  /** The other members of the contract's answer, next to the resource or next to its wrapper. */
  function membersAround(answer: JsonObject, inner: JsonObject): JsonObject {
    const members = siblings.map((name) => [name, readMember(inner, name) ?? readMember(answer, name)] as const)
    return Object.fromEntries(members.filter(([, value]) => value !== undefined))
  }

  function unwrapped(answer: JsonObject, resource: JsonObject): Record<string, unknown> {
    const around = membersAround(answer, resource)
    return { ...readObject(readAll, { ...around, [main.name]: null }), [main.name]: readMain(resource) }
  }

  return (answer) => {
    if (!isObject(answer)) throw unusable('answer', `object ${main.name}`)
    if (isObject(readMember(answer, main.name))) return readObject(readAll, answer)
    const found = findObject(main, answer)
    if (found !== undefined && holdsMain(main, found))
      return readObject(readAll, { ...membersAround(answer, found), ...found })
    if (found !== undefined && (found !== answer || main.hasId || !hasAny(answer, ownNames)))
      return unwrapped(answer, found)
    if (main.isNullable && hasAny(answer, main.answerNames)) return readObject(readAll, answer)
    throw unusable('answer', `object ${main.name}`)
  }
}

function hasAny(answer: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  return Object.keys(answer).some((name) => names.has(name))
}
