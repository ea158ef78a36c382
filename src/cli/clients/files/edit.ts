import { isDeepStrictEqual } from 'node:util'
import { parseJson, setInJson } from './edit-json.ts'
import { parseToml, setInToml } from './edit-toml.ts'
import { parseYaml, setInYaml } from './edit-yaml.ts'
import { isMembers, type Format, type Members, type Path, type Value } from './values.ts'

/** A file that cannot be read as its format, or cannot be edited without losing something of it. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

interface Language {
  /** The file as plain values; an empty file has no members. Throws for what is not in the format. */
  parse(this: void, text: string): Members
  /** The text with the value at the path, and everything else as it was. */
  set(this: void, text: string, path: Path, value: Value): string
}

const languages: Readonly<Record<Format, Language>> = {
  json: { parse: (text) => parseJson(text, { isStrict: true }), set: setInJson },
  jsonc: { parse: (text) => parseJson(text, { isStrict: false }), set: setInJson },
  toml: { parse: parseToml, set: setInToml },
  yaml: { parse: parseYaml, set: setInYaml },
}

/** The values of a file. Throws `FileError` when it is not in its format. */
export function readMembers(format: Format, text: string): Members {
  try {
    return languages[format].parse(text)
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : '').split('\n')
    throw new FileError(`is not valid ${format.toUpperCase()}: ${reason}`, { cause: error })
  }
}

/**
 * The text with the value at the path, comments and all other values kept. Throws `FileError` if the outcome, read again,
 * differs anywhere else: then the file is written in a way that only its owner can edit.
 */
export function setValue(format: Format, text: string, path: Path, value: Value): string {
  const before = readMembers(format, text)
  const { parse, set } = languages[format]
  let after: Members
  let edited: string
  try {
    edited = set(text, path, value)
    after = parse(edited)
  } catch (error) {
    throw new FileError('is written in a way that cannot be edited safely', { cause: error })
  }
  if (!isDeepStrictEqual(plain(after), plain(replaced(before, path, value)))) {
    throw new FileError('is written in a way that cannot be edited safely')
  }
  return edited
}

/** What is at the path; undefined when nothing is. */
export function valueAt(value: Value | undefined, path: Path): Value | undefined {
  return path.reduce<Value | undefined>(
    (inside, step) =>
      typeof inside === 'object' && inside !== null
        ? (inside as Readonly<Record<string | number, Value>>)[step]
        : undefined,
    value,
  )
}

/** The value with another one at the path. */
function replaced(value: Value | undefined, [step, ...path]: Path, inner: Value): Value {
  if (step === undefined) return inner
  if (typeof step === 'number') {
    const list: readonly Value[] = Array.isArray(value) ? (value as readonly Value[]) : []
    return [...list.slice(0, step), replaced(list[step], path, inner), ...list.slice(step + 1)]
  }
  const members = isMembers(value) ? value : {}
  return { ...members, [step]: replaced(members[step], path, inner) }
}

/** Parsers make objects with and without prototypes. */
function plain(value: Value): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown
}
