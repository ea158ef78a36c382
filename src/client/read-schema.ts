import type * as z from 'zod'
import { textMark, Untrusted } from '../contract/base/text.ts'
import { ServiceError } from '../errors.ts'
import { isObject } from '../lib/objects.ts'

/** Reads one value of an answer; undefined means that the service did not say. */
export type Read = (value: unknown) => unknown

/**
 * Turns a result schema into a function that reads what a deployment may really send (contract §0.9): camelCase members,
 * int64 as strings, unknown enum values as they are, unknown members ignored, missing ones undefined, text of outsiders
 * wrapped in `Untrusted`. `at` names the place in errors. The result throws `upstream_shape_unknown` where an object must
 * be and something else is, and where a thing has no id.
 */
export function compileReader(schema: z.core.$ZodType, at: string): Read {
  // zod's own union of all its schemas; every schema that zod makes is one of them.
  const { def } = (schema as z.core.$ZodTypes)._zod
  // oxlint-disable-next-line switch-exhaustiveness-check -- results are JSON: the kinds zod has beyond it end in the error
  switch (def.type) {
    case 'string':
    case 'enum':
    case 'literal':
      return readText
    case 'number':
      return readNumber
    case 'boolean':
      return readBoolean
    case 'nullable': {
      const inner = compileReader(def.innerType, at)
      return (value) => (value === null ? null : inner(value))
    }
    case 'optional':
    case 'default':
    case 'readonly':
      return compileReader(def.innerType, at)
    case 'array':
      return arrayReader(def.element, at)
    case 'tuple': {
      const items = def.items.map((item, n) => compileReader(item, `${at}[${String(n)}]`))
      return (value) => (Array.isArray(value) ? items.map((read, n) => read((value as unknown[])[n])) : undefined)
    }
    case 'object':
      return objectReader(def.shape, at)
    case 'record':
      return recordReader(compileReader(def.valueType, `${at}.*`), at)
    case 'union':
      return unionReader(def.options, at)
    case 'pipe': {
      const inner = compileReader(def.in, at)
      if (textMark(schema) === 'untrusted') return (value) => wrapUntrusted(inner(value))
      return inner
    }
    case 'unknown':
    case 'any':
      return (value) => value
    case 'lazy': {
      let inner: Read | undefined
      return (value) => (inner ??= compileReader(def.getter(), at))(value)
    }
    default:
      throw new TypeError(`the reader has no rule for ${def.type} at ${at}`)
  }
}

/** `first_seen` as a gateway with lower camel case prints it. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** A member by either of its names; null is a value. */
export function readMember(value: Readonly<Record<string, unknown>>, name: string, camel = camelCase(name)): unknown {
  return value[name] === undefined ? value[camel] : value[name]
}

export function unusable(at: string, expected: string): ServiceError {
  return new ServiceError('upstream_shape_unknown', `the answer has no ${expected} at ${at}`, { metadata: { at } })
}

function readText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  // A protojson gateway prints int64 as a string.
  if (typeof value !== 'string' || !/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return undefined
  return Number(value)
}

function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : undefined
}

function wrapUntrusted(value: unknown) {
  return value === undefined || value === null ? undefined : new Untrusted(value)
}

function arrayReader(element: z.core.$ZodType, at: string): Read {
  const read = compileReader(element, `${at}[]`)
  const readsText = read === readText
  return (value) => {
    if (!Array.isArray(value)) return undefined
    const rows: unknown[] = []
    for (const item of value as unknown[]) {
      const row = readsText && isObject(item) ? signalText(item) : read(item)
      if (row !== undefined) rows.push(row)
    }
    return rows
  }
}

/** A truncation signal sent as an object, in the form of ours: `<member>:<reason>:<kept>/<total>` (contract §10.4). */
function signalText({ kept, total, ...words }: Record<string, unknown>): string {
  const parts = Object.values(words).map(readText)
  if (kept !== undefined && total !== undefined) parts.push(`${String(readNumber(kept))}/${String(readNumber(total))}`)
  return parts.filter((part) => part !== undefined && part !== '').join(':')
}

export function objectReader(shape: Readonly<Record<string, z.core.$ZodType>>, at: string): Read {
  const members = Object.entries(shape).map(([name, schema]) => ({
    name,
    camel: camelCase(name),
    required: name === 'id' && isTrustedText(schema),
    mayBeEmpty: mayBeEmpty(schema),
    read: compileReader(schema, `${at}.${name}`),
  }))
  return (value) => {
    if (value === undefined || value === null) return undefined
    if (!isObject(value)) throw unusable(at, 'object')
    const result: Record<string, unknown> = {}
    for (const { name, camel, required, mayBeEmpty: emptyAllowed, read } of members) {
      const told = read(readMember(value, name, camel))
      if (told !== undefined) result[name] = told
      if (required && (told === undefined || told === '')) {
        if (!emptyAllowed) throw unusable(at, 'id')
        // The zero value of protobuf, which a gateway may leave out.
        result[name] = ''
      }
    }
    return result
  }
}

function isTrustedText(schema: z.core.$ZodType): boolean {
  const { type } = schema._zod.def
  return type === 'string' || type === 'enum'
}

/** `z.string()` allows "", as in a reference to nothing; an `Id` does not. */
function mayBeEmpty(schema: z.core.$ZodType): boolean {
  return schema._zod.def.type === 'string' && (schema._zod.def.checks ?? []).length === 0
}

function recordReader(read: Read, at: string): Read {
  return (value) => {
    if (value === undefined || value === null) return undefined
    if (!isObject(value)) throw unusable(at, 'object')
    const entries = Object.entries(value).map(([name, item]) => [name, read(item)] as const)
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }
}

/** The member of the union that has the value's own type, else the first that can read it. */
function unionReader(options: readonly z.core.$ZodType[], at: string): Read {
  const readers = options.map((option) => ({ type: option._zod.def.type, read: compileReader(option, at) }))
  return (value) => {
    const type = Array.isArray(value) ? 'array' : typeof value
    const own = readers.find((reader) => reader.type === type)
    if (own !== undefined) return own.read(value)
    for (const { read } of readers) {
      const told = read(value)
      if (told !== undefined) return told
    }
    return undefined
  }
}
