import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import { SourceMapDefect } from './defect.ts'
import { LAST_POSITION } from './mappings.ts'
import { readRegularMap, wrong, type RegularMap } from './members.ts'

/** A map and the start of its code in the generated file. A regular map is one part that begins at 0:0. */
export interface SourceMapPart {
  /** The prefix of this map's members in messages. */
  at: string
  line: number
  column: number
  map: RegularMap
}

/**
 * Reads the sections of an index map (ECMA-426 DecodeIndexSourceMap). Each must begin after the one before: equal
 * offsets are an overlap, as in the public suite. A section's map must not have sections itself.
 */
export function readSections(json: JsonObject): SourceMapPart[] {
  const sections = json['sections']
  if (!Array.isArray(sections)) throw wrong('sections', 'sections', sections, 'a list')
  if (json['mappings'] !== undefined) {
    throw new SourceMapDefect('sections-and-mappings', 'A map has either sections or mappings; this one has both.')
  }
  const parts: SourceMapPart[] = []
  for (const [place, section] of sections.entries()) {
    const part = readSection(section, `sections[${place}]`)
    const previous = parts.at(-1)
    if (previous !== undefined && !isAfter(part, previous)) {
      throw new SourceMapDefect('section-order', `sections[${place}] does not begin after sections[${place - 1}].`)
    }
    parts.push(part)
  }
  return parts
}

function readSection(section: unknown, at: string): SourceMapPart {
  if (!isObject(section)) throw wrong('sections', at, section, 'an object')
  const { offset, map } = section
  if (!isObject(offset)) throw wrong('section-offset', `${at}.offset`, offset, 'an object')
  const line = readOffset(offset, 'line', at)
  const column = readOffset(offset, 'column', at)
  if (!isObject(map)) throw wrong('section-map', `${at}.map`, map, 'an object')
  if (map['sections'] !== undefined) {
    throw new SourceMapDefect('nested-sections', `${at}.map has sections itself; an index map holds regular maps only.`)
  }
  return { at: `${at}.map.`, line, column, map: readRegularMap(map, `${at}.map.`) }
}

function readOffset(offset: JsonObject, member: 'line' | 'column', at: string): number {
  const value = offset[member]
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_POSITION) return value
  throw wrong('section-offset', `${at}.offset.${member}`, value, `a whole number from 0 to ${LAST_POSITION}`)
}

function isAfter(part: SourceMapPart, previous: SourceMapPart): boolean {
  return part.line > previous.line || (part.line === previous.line && part.column > previous.column)
}
