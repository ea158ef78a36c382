import { expect } from 'vitest'
import { readSourceMap, SourceMapDefect } from '../../../../../src/service/errors/sourcemaps/format/read.ts'

/** Every segment of a map: generated line and column, then source, line, column and name. */
export function mappingsOf(text: string): number[][] {
  const all: number[][] = []
  readSourceMap(text).eachMapping((...mapping) => all.push(mapping))
  return all
}

/** The rule and the message with which a map is refused. */
export function defectOf(text: string): [rule: string, message: string] {
  try {
    mappingsOf(text)
  } catch (error) {
    if (error instanceof SourceMapDefect) return [error.rule, error.message]
    throw error
  }
  return expect.fail(`accepted: ${text.slice(0, 200)}`)
}
