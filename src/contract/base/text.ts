import * as z from 'zod'

/**
 * Text that an outsider wrote (contract §1.1, mcp §6). It is no string for the compiler, refuses to
 * become one at run time, and only the renderer in `mcp/untrusted.ts` opens it.
 */
export class Untrusted<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** For the renderer alone: the raw value. */
  static open<T>(text: Untrusted<T>): T {
    return text.#value
  }

  toJSON(): never {
    return refuse()
  }
}

// Defined here and not in the class: the linter would take a declared toString for a way to print it.
Object.defineProperty(Untrusted.prototype, 'toString', { value: refuse })

function refuse(): never {
  throw new TypeError('untrusted text has to pass the renderer')
}

export type TextMark = 'team' | 'untrusted'

/** Marks a result member as written by members of the workspace. */
export function team<S extends z.ZodType>(schema: S): S {
  return schema.meta({ 'x-text': 'team' satisfies TextMark })
}

/** Marks a result member as written by whoever holds a DSN key; its parsed type is `Untrusted<…>`. */
export function untrusted<S extends z.ZodType>(schema: S) {
  return schema
    .transform((value): Untrusted<z.output<S>> => new Untrusted(value))
    .meta({ 'x-text': 'untrusted' satisfies TextMark })
}

interface Maker {
  by: 'service'
}
const madeByService = z.registry<Maker>()

/**
 * Marks a free string of a result as made by the service: an id, key, hash, address or sentence of its own. It changes
 * neither the type nor the published schema; it says that the question "whose text?" was asked (contract §1.1).
 */
export function trusted<S extends z.ZodType>(schema: S): S {
  madeByService.add(schema, { by: 'service' })
  return schema
}

/** Was the schema, or the one it was described from, marked by `trusted`? */
export function isTrusted(schema: z.core.$ZodType): boolean {
  return madeByService.get(schema) !== undefined
}

/** The mark of a schema, or undefined where its text is made by the service. */
export function textMark(schema: z.core.$ZodType): TextMark | undefined {
  return z.globalRegistry.get(schema)?.['x-text'] as TextMark | undefined
}
