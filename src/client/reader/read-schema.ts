import * as z from 'zod'
import { textMark, Untrusted } from '../../contract/base/text.ts'
import { ServiceError } from '../../errors.ts'
import { isObject } from '../../lib/objects.ts'
import {
  enumReader,
  readBoolean,
  readCount,
  readMilliseconds,
  readNumber,
  readText,
  readTime,
  type ReadValue,
} from './read-values.ts'

/**
 * Compiles a result schema into a function that reads what deployments really send (contract §0.9): camelCase members and
 * the spellings of `read-values.ts` are accepted, unknown members ignored, missing ones undefined, and outsiders' text is
 * wrapped in `Untrusted`. `at` names the location in errors. The function throws `upstream_shape_unknown` where an
 * object is required and the value is not one, and where an object has no id.
 */
export function compileReader(schema: z.core.$ZodType, at: string): ReadValue {
  // zod's own union of all its schemas; every schema that zod creates is a member.
  const { def } = (schema as z.core.$ZodTypes)._zod
  // oxlint-disable-next-line switch-exhaustiveness-check -- results are JSON: any other zod type ends in the error
  switch (def.type) {
    case 'string':
      return 'format' in def && def.format === 'datetime' ? readTime : readText
    case 'enum':
      return enumReader(schema, Object.values(def.entries).map(String), memberName(at))
    case 'literal':
      return enumReader(schema, def.values.map(String), memberName(at))
    case 'number':
      return numberReader(schema, memberName(at))
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
      return 'discriminator' in def
        ? variantReader(def.options, String(def.discriminator), at)
        : unionReader(def.options, at)
    case 'pipe': {
      const inner = compileReader(def.in, at)
      if (textMark(schema) === 'untrusted') return (value) => wrapUntrusted(inner(value))
      return inner
    }
    case 'unknown':
    case 'any':
      return (value) => value
    case 'lazy': {
      let inner: ReadValue | undefined
      return (value) => (inner ??= compileReader(def.getter(), at))(value)
    }
    default:
      throw new TypeError(`the reader has no rule for ${def.type} at ${at}`)
  }
}

/** `firstSeen` for `first_seen`, as gateways with lower camel case print it. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** A member by its snake_case or camelCase name; null counts as present. */
export function readMember(value: Readonly<Record<string, unknown>>, name: string, camel = camelCase(name)): unknown {
  return value[name] === undefined ? value[camel] : value[name]
}

/** The error for a response without a required part. */
export function unusable(at: string, expected: string): ServiceError {
  return new ServiceError('upstream_shape_unknown', `the response has no ${expected} at ${at}`, { metadata: { at } })
}

/** `status` of `answer.issue.status`, `scopes` of `answer.scopes[]`. */
function memberName(at: string): string {
  return (at.split('.').at(-1) ?? at).replaceAll('[]', '')
}

function numberReader(schema: z.core.$ZodType, member: string): ReadValue {
  if (!('format' in schema._zod.def)) return readNumber
  return member.endsWith('_ms') ? readMilliseconds : readCount
}

function wrapUntrusted(value: unknown) {
  return value === undefined || value === null ? undefined : new Untrusted(value)
}

function arrayReader(element: z.core.$ZodType, at: string): ReadValue {
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

/** A truncation signal that was sent as an object, in our text form: `<member>:<reason>:<kept>/<total>` (contract §10.4). */
function signalText({ kept, total, ...words }: Record<string, unknown>): string {
  const parts = Object.values(words).map(readText)
  if (kept !== undefined && total !== undefined) parts.push(`${String(readNumber(kept))}/${String(readNumber(total))}`)
  return parts.filter((part) => part !== undefined && part !== '').join(':')
}

/** Reads the members of a shape; undefined for null. Throws like `compileReader`. */
export function objectReader(shape: Readonly<Record<string, z.core.$ZodType>>, at: string): ReadValue {
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
      const member = read(readMember(value, name, camel))
      if (member !== undefined) result[name] = member
      if (required && (member === undefined || member === '')) {
        if (!emptyAllowed) throw unusable(at, 'id')
        // The zero value of protobuf, which gateways may omit.
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

/** Whether an object must have this `id`: `z.string()` allows "", which means no reference; an `Id` does not. */
export function requiresId(id: z.core.$ZodType | undefined): boolean {
  return id !== undefined && isTrustedText(id) && !mayBeEmpty(id)
}

function mayBeEmpty(schema: z.core.$ZodType): boolean {
  return schema._zod.def.type === 'string' && (schema._zod.def.checks ?? []).length === 0
}

function recordReader(read: ReadValue, at: string): ReadValue {
  return (value) => {
    if (value === undefined || value === null) return undefined
    if (!isObject(value)) throw unusable(at, 'object')
    const entries = Object.entries(value).map(([name, item]) => [name, read(item)] as const)
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
  }
}

/**
 * Reads with the variant that the value's discriminator names. A value that names none is read as the variant with the
 * most text of outsiders, so that such text is never taken for the team's.
 */
function variantReader(options: readonly z.core.$ZodType[], discriminator: string, at: string): ReadValue {
  const variants = (options as readonly z.core.$ZodObject[]).map((option) => {
    const { shape } = option._zod.def
    const marks = Object.values(shape).filter((member) => textMark(member) === 'untrusted')
    const tag = shape[discriminator]!
    return { read: compileReader(option, at), tag, readTag: compileReader(tag, `${at}.${discriminator}`), marks }
  })
  const mostMarked = variants.reduce((most, one) => (one.marks.length > most.marks.length ? one : most))
  return (value) => {
    const given = isObject(value) ? readMember(value, discriminator) : undefined
    const named = variants.find(({ tag, readTag }) => z.safeParse(tag, readTag(given)).success)
    return (named ?? mostMarked).read(value)
  }
}

/** Reads with the union member of the value's own type, otherwise with the first that can read it. */
function unionReader(options: readonly z.core.$ZodType[], at: string): ReadValue {
  const readers = options.map((option) => ({ type: option._zod.def.type, read: compileReader(option, at) }))
  return (value) => {
    const type = Array.isArray(value) ? 'array' : typeof value
    const own = readers.find((reader) => reader.type === type)
    if (own !== undefined) return own.read(value)
    for (const { read } of readers) {
      const result = read(value)
      if (result !== undefined) return result
    }
    return undefined
  }
}
