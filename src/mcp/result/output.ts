import * as z from 'zod'
import { enumPrefix } from '../../contract/base/common.ts'
import { textMark } from '../../contract/base/text.ts'
import type { TeamTextOptions } from '../text/team.ts'

/** How the renderer writes a member of a result. */
export interface Style extends TeamTextOptions {
  /** Written by members of the workspace. */
  isTeam?: boolean
  /** Of an enum whose values carry one: `PRIORITY_HIGH` is written `high`. */
  prefix?: string
  /** A time, written to the minute. */
  isTime?: boolean
  /** Shown only when true. */
  isFlag?: boolean
  /** Left out of the text where the answer has the same values. */
  inAnswer?: boolean
}

const styles = new WeakMap<z.core.$ZodType, Style>()

/** The style of a member, looked up inside a wrapper such as `optional`. */
export function readStyle(schema: z.core.$ZodType): Style {
  return styles.get(unwrap(schema)) ?? {}
}

/** A boolean that says nothing unless it is true. */
export const flag = styled(z.boolean(), { isFlag: true })

/** Text that members wrote, or that is made of it. */
export const teamLine = styled(z.string(), { isTeam: true })

/** A member that the text leaves out where the answer has the same values; the structured result keeps it. */
export function inAnswer<S extends z.ZodType>(schema: S): S {
  return styled(schema, { inAnswer: true })
}

/** The same member, cut to `characters`. */
export function upTo<S extends z.ZodType>(schema: S, characters: number): S {
  return restyled(schema, { characters })
}

/** The same member with its line breaks, cut to `characters`. */
export function manyLines<S extends z.ZodType>(schema: S, characters: number): S {
  return restyled(schema, { characters, manyLines: true })
}

/**
 * Every member may be missing, because a deployment may leave any of them out; only an `id` is always there, unless its
 * schema is optional.
 */
type Fields<S extends z.ZodRawShape> = { [K in keyof S]: K extends 'id' ? S[K] : z.ZodOptional<S[K]> }

/**
 * An object of a tool's output, made of members of the contract's results and of the tool's own schemas. Only the type of
 * a member is published: enums, formats and bounds would cost tokens. Its mark decides how the renderer writes it. Throws
 * for outsiders' text, which belongs in the untrusted block.
 */
export function fields<S extends z.ZodRawShape>(shape: S): z.ZodObject<Fields<S>> {
  const members = Object.entries(shape).map(([name, schema]) => {
    const member = plain(schema as z.ZodType, name)
    return [name, name === 'id' && !(schema instanceof z.ZodOptional) ? member : member.optional()] as const
  })
  return z.object(Object.fromEntries(members)) as unknown as z.ZodObject<Fields<S>>
}

/** Some members of a contract's object, for `fields` and `rows`. */
export function pick<S extends z.ZodRawShape, K extends keyof S>(schema: z.ZodObject<S>, ...names: K[]): Pick<S, K> {
  return Object.fromEntries(names.map((name) => [name, schema.shape[name]])) as Pick<S, K>
}

/** Members that are whole numbers, by their names. */
export function counts<K extends string>(...names: K[]): Record<K, z.ZodInt> {
  return Object.fromEntries(names.map((name) => [name, z.int()])) as Record<K, z.ZodInt>
}

/** A list of such objects. */
export function rows<S extends z.ZodRawShape>(shape: S): z.ZodArray<z.ZodObject<Fields<S>>> {
  return z.array(fields(shape))
}

/** The schema inside `optional`, `nullable` and `default`. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'optional' || def.type === 'nullable' || def.type === 'default' ? unwrap(def.innerType) : schema
}

function styled<S extends z.ZodType>(schema: S, style: Style): S {
  styles.set(schema, style)
  return schema
}

function restyled<S extends z.ZodType>(schema: S, style: Style): S {
  const copy = plain(schema, 'a text')
  return styled(copy, { ...readStyle(copy), ...style }) as unknown as S
}

function plain(schema: z.ZodType, name: string): z.ZodType {
  const inner = unwrap(schema) as z.ZodType
  if (styles.has(inner)) return styledCopy(inner, readStyle(inner), name)
  const isTeam = textMark(schema) === 'team' || textMark(inner) === 'team'
  const prefix = enumPrefix(inner)
  const { def } = (inner as unknown as z.core.$ZodTypes)._zod
  const isTime = def.type === 'string' && 'format' in def && def.format === 'datetime'
  return styledCopy(
    inner,
    { ...(isTeam && { isTeam }), ...(prefix !== '' && { prefix }), ...(isTime && { isTime }) },
    name,
  )
}

function styledCopy(schema: z.ZodType, style: Style, name: string): z.ZodType {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  if (def.type === 'string' || def.type === 'enum') return styled(z.string(), style)
  if (def.type === 'number') return 'format' in def ? z.int() : z.number()
  if (def.type === 'boolean') return styled(z.boolean(), style)
  if (def.type === 'array') return z.array(plain(def.element as z.ZodType, name))
  if (def.type === 'object') return schema
  throw new TypeError(`${name} is ${def.type}, which is not shown outside the untrusted block`)
}
