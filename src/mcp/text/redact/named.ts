import { label, matches, type Span } from './rule.ts'
import { isCookieName, isCountName, isPasswordName, isSecretName, SECRET_ENDING } from './secret-names.ts'

/**
 * What stands between a name and its value, and before it the end of the name: `password=`, `"token": `, `['key'] => `.
 * It begins with what is rare: most texts have few separators, and names are looked for only before them.
 */
const SEPARATED = new RegExp(
  String.raw`(?=[:=])(?<=(?<ending>(?:${SECRET_ENDING})[\d_.-]{0,4}(?:\\{0,7}["'\x60]){0,2}\]?)(?<space>\s{0,3}))(?::=|=>|==?|:)\s{0,3}`,
  'gi',
)
/** The character of a name before its ending. */
const NAME = /[\w.\u00c0-\uffff-]/
const LONGEST_NAME = 100
/** A word before `key` and the like that is part of the name, as in `api key: …`. */
const WORD_BEFORE = /(?:^|[^A-Za-z\d])((?:[a-z]{2,14} ){1,2})$/i

/** What may follow: in quotes, escaped or not, which end at the latest with the line; or one word. */
const VALUE =
  /(?<quote>\\{1,7}["'`])(?<escaped>[^"'`\n]*?)(?=\\{0,7}["'`]|\n|$)|"(?<double>[^"\\\n]*(?:\\.[^"\\\n]*)*)|''(?<doubled>[^'\s,;)}\]][^'\n]*)|'(?<single>[^'\\\n]*(?:\\.[^'\\\n]*)*)|`(?<tick>[^`\n]+)|(?<bare>(?![=>])[^\s"'`&;,<>(){}[\]\\]+(?<![!?.:…]))(?=(?<next>\(|\s{0,3}[\w(])?)/y

/** Words that follow `password:` or `token =` in messages and code and are not secrets. */
const STATUS =
  /^(?:required|invalid|incorrect|wrong|missing|empty|null|undefined|none|nil|nan|true|false|expired|failed|ok|yes|no|string|number|boolean|object|unknown|unauthorized|forbidden|denied|bearer|basic|digest|negotiate|optional|changed|reset|updated|revoked|valid|present|found|set|unset|disabled|enabled|hidden|masked|redacted|removed|filtered|mismatch|too|not|must|should|falsch|ungültig|erforderlich|fehlt|vergessen|requis|incorrecte?|invalide|oublié|incorrect[oa]|inv[aá]lid[oa]|requerid[oa]|obligatori[oa]|\*+|\.+|-+|x{3,}|\$\w*|%\w+|\W?\[.*)$/i

/** Values whose names make them secret: `password=…`, `"token": "…"`, `api_key: …`. */
export function findNamed(text: string): Span[] {
  const spans: Span[] = []
  let done = 0
  for (const match of matches(text, SEPARATED)) {
    const { ending = '', space = '' } = match.groups ?? {}
    const at = match.index - space.length - ending.length
    if (at < done) continue
    const name = fullName(text, at, ending)
    if (!isSecretName(name)) continue
    const start = match.index + match[0].length
    VALUE.lastIndex = start
    const found = VALUE.exec(text)
    if (found === null || !isSecretValue(name, space + match[0], found.groups ?? {})) continue
    done = VALUE.lastIndex
    const opening = /^(?:''|\\*["'`]?)/.exec(found[0])?.[0].length ?? 0
    spans.push({ kind: secretKind(name), start: start + opening, end: done })
  }
  return spans
}

/** What a secret of this name is called. */
export function secretKind(name: string): string {
  return isCookieName(name) ? 'cookie' : 'secret'
}

/** The whole name that ends in `ending`, which is at `at`. */
function fullName(text: string, at: number, ending: string): string {
  let start = at
  while (start > 0 && at - start < LONGEST_NAME && NAME.test(text.charAt(start - 1))) start -= 1
  const name = text.slice(start, at) + ending.replace(/[\\"'`\]]+$/, '')
  if (text.slice(start - 10, start) === label('').slice(0, -1)) return ''
  const before = WORD_BEFORE.exec(text.slice(Math.max(0, start - 30), start))?.[1] ?? ''
  return isSecretName(name) ? name : before + name
}

/** A count, a duration or a share. */
const SMALL_NUMBER = /^\d{1,5}(?:[.,/]\d{1,5})?(?:ms|s|m|h|%|k|kb|mb)?$/i

/** Keeps prose about a password, and code that passes one on, readable. */
function isSecretValue(name: string, separator: string, found: Readonly<Record<string, string | undefined>>): boolean {
  const { escaped, double, doubled, single, tick, bare, next } = found
  const value = escaped ?? double ?? doubled ?? single ?? tick ?? bare ?? ''
  if (value === '' || STATUS.test(value) || (bare !== undefined && next === '(')) return false
  if (isCountName(name) && SMALL_NUMBER.test(value)) return false
  // A sentence about tests that pass, unless what follows looks like no word.
  if (/^pass$/i.test(name) && separator.includes(':') && !/\d/.test(value)) return false
  // `token=abc` is always a value; with a colon or spaces it may be a sentence or an expression.
  if (bare === undefined || separator === '=' || /\d/.test(bare)) return true
  return isPasswordName(name) && separator.includes(':') && next === undefined && /^[^.$]+$/.test(bare)
}
