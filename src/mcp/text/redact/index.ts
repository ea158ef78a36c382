import { secretKind } from './named.ts'
import { label } from './rule.ts'
import { isCountName, isSecretName } from './secret-names.ts'

export { hideKeyLines } from './private-keys.ts'
export { redact, type RedactOptions } from './redact.ts'

/** Reads the strings of structured data. */
export interface DataReader {
  /** What is shown of a string, or of the name of a member. */
  text: (text: string) => string
  /** Takes note of a value that was replaced because of its name. */
  count: (kind: string) => void
}

/**
 * A copy of structured data in which each string is read on its own, before JSON escapes it, and the values of secret
 * names are replaced by labels. Names are member names, and the first of a pair in `{name, value}`, `[name, value]`,
 * `['--name', value]` and lists that alternate between names and values.
 */
export function redactData(value: unknown, reader: DataReader): unknown {
  if (typeof value === 'string') return reader.text(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return redactList(value, reader)
  const paired = pairedName(value)
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const secret = paired !== undefined && VALUE_NAMES.has(name.toLowerCase()) ? paired : name
    return [reader.text(name), redactValue(secret, member, reader) ?? redactData(member, reader)]
  })
  return Object.fromEntries(members)
}

/** The label for a value under a secret name; undefined if the value may be shown. */
export function redactValue(name: string, value: unknown, { count }: Pick<DataReader, 'count'>): string | undefined {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return undefined
  if (!isSecretName(name) || isCount(name, value)) return undefined
  const kind = secretKind(name)
  count(kind)
  return label(kind)
}

/** `{ pass: 3, fail: 1 }` and `{ cookies: 2 }` count something. */
function isCount(name: string, value: unknown): boolean {
  return (
    isCountName(name) && /^\d{1,5}$/.test(typeof value === 'number' || typeof value === 'string' ? String(value) : '')
  )
}

const VALUE_NAMES: ReadonlySet<string> = new Set(['value', 'val', 'content', 'default', 'text', 'data'])
const NAME_NAMES: ReadonlySet<string> = new Set(['name', 'key', 'header', 'field', 'param', 'parameter', 'id', 'label'])

/** The secret name that an object such as `{name: 'password', value: 'x'}` gives to its value. */
function pairedName(value: object): string | undefined {
  const members = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(members)) {
    if (!NAME_NAMES.has(name.toLowerCase())) continue
    const named = members[name]
    if (typeof named === 'string' && isSecretName(named)) return named
  }
  return undefined
}

function redactList(list: readonly unknown[], reader: DataReader): unknown[] {
  const alternates = list.length % 2 === 0 && list.every((item, index) => index % 2 === 1 || isHeaderName(item))
  return list.map((item, index) => {
    const before = index > 0 ? list[index - 1] : undefined
    const isNamed = typeof before === 'string' && (before.startsWith('-') || (alternates && index % 2 === 1))
    const secret = isNamed && !isFlag(item) ? redactValue(before, item, reader) : undefined
    return secret ?? redactData(item, reader)
  })
}

function isHeaderName(item: unknown): boolean {
  return typeof item === 'string' && /^[A-Za-z][\w.-]{0,60}:?$/.test(item)
}

function isFlag(item: unknown): boolean {
  return typeof item === 'string' && /^--?[a-z]/i.test(item)
}
