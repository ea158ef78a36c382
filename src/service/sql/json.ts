import * as z from 'zod'

/** The value of a JSON column; throws when it is not what the schema describes. */
export function readJson<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  return schema.parse(JSON.parse(text))
}

const Texts = z.array(z.string())

/** The strings of a JSON column that holds an array of them: ids, tags, globs, a path. */
export function readTexts(text: string): string[] {
  return readJson(Texts, text)
}

/**
 * The value of a JSON column, unchecked: for a column that only the caller's module writes, in a loop over many rows.
 * Measured: checking a record of two strings takes 1 µs, twice as long as parsing it.
 */
export function readOwnJson<T>(text: string): T {
  return JSON.parse(text) as T
}
