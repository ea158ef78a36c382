import { isMembers, type Json, type Members } from './json.ts'
import type * as z from 'zod'
import { readStyle } from './output.ts'

const marked = new WeakMap<z.ZodObject, readonly string[]>()

/** The names of the members that are marked with `inAnswer`. */
export function namesInAnswer(output: z.ZodObject | undefined): readonly string[] {
  if (output === undefined) return []
  const known = marked.get(output)
  if (known !== undefined) return known
  const names = Object.entries(output.shape).flatMap(([name, schema]) =>
    readStyle(schema as z.core.$ZodType).inAnswer === true ? [name] : [],
  )
  marked.set(output, names)
  return names
}

/** The data without the named members whose values are all in the answer. */
export function withoutSaid(data: Members, names: readonly string[], answer: string): Members {
  if (names.length === 0) return data
  const words = new Set(answer.match(/[\w-]+/g))
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) => !names.includes(name) || !isSaid(value, words)),
  )
}

/** Whether the answer has the value. A count of 0 needs no words. */
function isSaid(value: Json, words: ReadonlySet<string>): boolean {
  if (isMembers(value)) return Object.values(value).every((member) => isSaid(member, words))
  return value === 0 || (typeof value !== 'object' && words.has(String(value)))
}
