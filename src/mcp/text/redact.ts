import { passesIban, passesLuhn, personalIpv6 } from './checksums.ts'
import { isCookieName, isPasswordName, isSecretName } from './secret-names.ts'

export interface Redacted {
  text: string
  /** How many of each kind were replaced; empty if none. */
  counts: Record<string, number>
}

interface Rule {
  kind: string
  pattern: RegExp
  /** The replacement if it is not just the label; `undefined` keeps the match. */
  replace?: (match: string, ...groups: readonly (string | undefined)[]) => string | undefined
}

const label = (kind: string) => `[redacted:${kind}]`
/** Keeps the first group, which introduces the secret. */
const after = (kind: string) => (_: string, kept?: string) => `${kept ?? ''}${label(kind)}`
const where = (kind: string, holds: (match: string) => boolean) => (match: string) =>
  holds(match) ? label(kind) : undefined

/**
 * Credentials with a known shape, longer ones before their parts. All repetitions are bounded and all starts anchored,
 * which keeps the rules linear in the length of the text.
 */
const credentials: readonly Rule[] = [
  {
    kind: 'pem',
    pattern:
      /-----BEGIN[A-Z ]{1,40}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\\:,.]|\s(?=[\w+/=-])|-(?!----))*(?:-----END[A-Z ]{1,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    kind: 'cookie',
    // A list, a quoted header, or the rest of the line; inside JSON text that ends with its string.
    pattern:
      /(?<!\w)((?:set-)?cookie\\{0,3}["']?\s{0,4}[:=]\s{0,4})(?:\[[^\]\n]{1,4000}\]|(\\{0,3}["'])[^"'\n]{0,4000}?(?=\\{0,3}["'])|(?=[\w!#$%&*+.^`|~-]{1,100}=)(?:[^\n"]|"(?![,\]}]))+)/gi,
    replace: (_, head, quote = '') => `${head ?? ''}${quote}${label('cookie')}`,
  },
  { kind: 'bearer', pattern: /\b(bearer\s{1,4})[\w.~+/=-]{8,4000}/gi, replace: after('bearer') },
  {
    kind: 'basic',
    pattern: /\b([Bb]asic\s{1,4})(?=\S{0,99}[A-Z\d=])[A-Za-z\d+/]{8,1000}={0,2}/g,
    replace: after('basic'),
  },
  {
    kind: 'authorization',
    pattern:
      /\b(authorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?:token|digest|negotiate|ntlm|api-?key|hawk|oauth|dpop|key|signature|aws4-hmac-sha256)\s{1,4})(?!\[)(?:[^\n"]|"(?!\]|\}|,"))+/gi,
    replace: after('authorization'),
  },
  { kind: 'jwt', pattern: /(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{4,4000}(?:\.[\w-]{0,4000}){0,3}/g },
  { kind: 'tracegate_token', pattern: /\btg_[A-Za-z\d]{20,64}\b/g },
  { kind: 'aws_key', pattern: /\bA(?:KIA|SIA|BIA|CCA)[A-Z\d]{16}\b/g },
  { kind: 'github_token', pattern: /\b(?:gh[oprsu]_[A-Za-z\d]{20,255}|github_pat_\w{20,255})\b/g },
  { kind: 'gitlab_token', pattern: /\bgl(?:pat|dt|rt|ptt|oas|cbt|ft|soat|agent|imt)-[\w-]{20,255}/g },
  { kind: 'slack_token', pattern: /\b(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{10,255}/g },
  {
    kind: 'slack_token',
    pattern: /(hooks\.slack\.com\/(?:services|workflows)\/)[\w/]{10,255}/g,
    replace: after('slack_token'),
  },
  { kind: 'stripe_key', pattern: /\b(?:[prs]k_(?:live|test)|whsec)_[A-Za-z\d]{10,255}/g },
  { kind: 'openai_key', pattern: /(?<![\w-])sk-(?=[\w-]{0,60}\d)[\w-]{16,255}/g },
  { kind: 'google_key', pattern: /\b(?:AIza[\w-]{35}|ya29\.[\w-]{20,255}|GOCSPX-[\w-]{20,255})/g },
  { kind: 'npm_token', pattern: /\bnpm_[A-Za-z\d]{30,255}\b/g },
  {
    kind: 'provider_token',
    pattern:
      /\b(?:pypi-[\w-]{50,255}|hf_[A-Za-z\d]{30,255}|SG\.[\w-]{16,64}\.[\w-]{16,64}|do[opr]_v1_[\da-f]{64}|shp(?:at|ss|ca|pa)_[\dA-Fa-f]{32}|sntr[a-z]{2}_[\w+/=]{20,255}|hv[bsr]\.[\w-]{20,255}|dapi[\da-f]{32}|lin_api_\w{20,255}|ATATT3[\w=-]{20,255}|AGE-SECRET-KEY-1[\dA-Z]{50,64}|\d{8,10}:AA[\w-]{33})/g,
  },
  {
    kind: 'dsn_key',
    pattern: /(:\/\/)[\da-f]{32}(?::[\da-f]{32})?(?=@[^\s/@]{1,255}\/)/gi,
    replace: after('dsn_key'),
  },
  {
    kind: 'url_credentials',
    pattern: /(:\/\/)(?!git@)[^\s"'/:<>@[]{1,200}(?::[^\s"'<>@]{0,200})?(?=@(?:\w|\[(?!redacted:)))/g,
    replace: after('url_credentials'),
  },
  {
    kind: 'url_credentials',
    pattern: /(:\/\/):[^\s"'<>@]{1,200}(?=@(?:\w|\[(?!redacted:)))/g,
    replace: after('url_credentials'),
  },
  {
    kind: 'secret',
    pattern: /(?<![\w-])(--[a-z][\w-]{1,40}\s{1,3})((?!-)[^\s"'[]{1,500})/g,
    replace: (_, flag = '') => (isSecretName(flag) ? `${flag}${label('secret')}` : undefined),
  },
]

/** Personal data with a recognizable shape, under any name. */
const personal: readonly Rule[] = [
  {
    kind: 'email',
    // Addresses joined by a character that may begin an address are one match, because only the first has a start.
    pattern:
      /(?<![\w.%+-])(?!git@)(?:[A-Za-z\d._%+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){0,4}\.(?!(?:[cm]?[jt]sx?|css|html?|json|map|vue|svelte|wasm|java|rb|php|dll|exe|png|jpe?g|gif|svg|webp)\b)[A-Za-z]{2,24}\b(?!:\d)){1,20}/g,
  },
  {
    kind: 'card',
    // A number that is named id is an id, even if its checksum is valid.
    pattern: /(?<![\w.-]|id["']?\s{0,2}[:= ]\s{0,2}["']?)(?:\d[ -]?){13,15}\d(?!\w|[.-]\w)/gi,
    replace: where('card', passesLuhn),
  },
  {
    kind: 'iban',
    pattern: /\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}(?: ?[\dA-Z]{1,3})?\b/g,
    replace: where('iban', passesIban),
  },
  { kind: 'ssn', pattern: /(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g },
  {
    kind: 'ip',
    // A version can have four numbers too: it follows a product (`Chrome/156.0.0.0`), `version`, `v`, `@`, `-` or `==`, or
    // ends in `.0.0`. Loopback and the unspecified address belong to no person.
    pattern:
      /(?<![\w.@-]|==\s{0,2}|\bver(?:sion)?["']?[\s:=]{1,3}["']?|(?:^|[\s"'(,;])[A-Za-z][\w+.-]{0,40}\/)(?!127\.|0\.)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?<!\.0\.0|255\.255)(?![\w-]|\.\w)/gi,
  },
  {
    kind: 'ip',
    pattern: /(?<![\w.:])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:])/gi,
    replace: where('ip', personalIpv6),
  },
]

/** A person's home directory, recognized by its location; a route such as `GET /home/x` is not one. */
const HOME =
  /(?<![\w)./\]\\-]|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )((?:file|webpack|webpack-internal|app):\/{2,3})?(?:[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)|\/(?:home|Users)\/)[\w.@-]{1,64}/g

/** A replacement can create a new start or end for adjacent text; more than two rounds have never been needed. */
const ROUNDS = 6

/**
 * Replaces credentials and addresses of people by `[redacted:kind]` and counts them (mcp §6.4), until nothing is left to
 * replace. Ids, hashes, versions and file names stay; a home directory becomes `~`.
 */
export function redact(raw: string): Redacted {
  const counts: Record<string, number> = {}
  let text = raw
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = redactOnce(text, counts)
    if (next === text) break
    text = next
  }
  return { text, counts }
}

function redactOnce(raw: string, counts: Record<string, number>): string {
  const shaped = credentials.reduce((text, rule) => applyRule(text, rule, counts), raw)
  const named = redactNamed(shaped, counts)
  const text = personal.reduce((rest, rule) => applyRule(rest, rule, counts), named)
  return text.replaceAll(HOME, (_: string, scheme?: string) => {
    countUp(counts, 'home_directory')
    return `${scheme ?? ''}~`
  })
}

function applyRule(text: string, { kind, pattern, replace }: Rule, counts: Record<string, number>): string {
  return text.replaceAll(pattern, (match: string, ...groups: (string | undefined)[]) => {
    const replaced = replace === undefined ? label(kind) : replace(match, ...groups)
    // A later round may match the label that an earlier round inserted.
    if (replaced !== undefined && replaced !== match) countUp(counts, kind)
    return replaced ?? match
  })
}

/**
 * A copy of structured data in which the values of secret names, including nested ones, are replaced by labels and counted
 * in `counts`. The other strings in it still have to be redacted.
 */
export function redactMembers(value: unknown, counts: Record<string, number>): unknown {
  if (Array.isArray(value)) return value.map((item) => redactMembers(item, counts))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    redactValue(name, member, counts) ?? redactMembers(member, counts),
  ])
  return Object.fromEntries(members)
}

/** The label for a value under a secret name, counted in `counts`; undefined if the value may be shown. */
export function redactValue(name: string, value: unknown, counts: Record<string, number>): string | undefined {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return undefined
  if (!isSecretName(name)) return undefined
  const kind = isCookieName(name) ? 'cookie' : 'secret'
  countUp(counts, kind)
  return label(kind)
}

function countUp(counts: Record<string, number>, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1
}

/** Words that follow `password:` or `token =` in messages and code and are not secrets. */
const STATUS =
  /^(?:required|invalid|incorrect|wrong|missing|empty|null|undefined|none|nil|nan|true|false|expired|failed|ok|string|number|boolean|object|unknown|unauthorized|forbidden|denied|bearer|basic|digest|negotiate|\*+|\.+|-+|\$\w*|%\w+|\[.*)$/i

const NAME = /(?<![\w.-]|\[redacted:)([A-Z_][\w.-]{0,60})\\{0,3}["'`]?\]?(\s{0,3}(?:=>|[:=])\s{0,3})/gi
const VALUE =
  /(?<quote>\\{1,3}["'])(?<escaped>[^"'\n]{1,2000}?)\k<quote>|"(?<double>(?:[^"\\\n]|\\.){1,2000})"|'(?<single>(?:[^'\\\n]|\\.){1,2000})'|(?<bare>(?![=>])[^\s"'`&;,<>(){}[\]\\]{1,2000})(?=(?<next>\(|\s{0,3}[\w(])?)/y

/** The text without the values of names that make them secret: `password=…`, `"token": "…"`, `api_key: …`. */
function redactNamed(text: string, counts: Record<string, number>): string {
  let done = 0
  let result = ''
  for (const match of text.matchAll(NAME)) {
    const [whole, name = '', separator = ''] = match
    const start = match.index + whole.length
    if (match.index < done || !isSecretName(name)) continue
    VALUE.lastIndex = start
    const found = VALUE.exec(text)
    if (found === null || !isSecretValue(name, separator, found.groups ?? {})) continue
    const kind = isCookieName(name) ? 'cookie' : 'secret'
    countUp(counts, kind)
    const { quote = /^["']/.exec(found[0])?.[0] ?? '' } = found.groups ?? {}
    result += text.slice(done, start) + quote + label(kind) + quote
    done = VALUE.lastIndex
  }
  return result + text.slice(done)
}

/** Keeps prose about a password, and code that passes one on, readable. */
function isSecretValue(name: string, separator: string, found: Readonly<Record<string, string | undefined>>): boolean {
  const { escaped, double, single, bare, next } = found
  if (STATUS.test(escaped ?? double ?? single ?? bare ?? '') || (bare !== undefined && next === '(')) return false
  // `token=abc` is always a value; with a colon or spaces it may be a sentence or an expression.
  if (bare === undefined || separator === '=' || /\d/.test(bare)) return true
  return isPasswordName(name) && separator.includes(':') && next === undefined && /^[^.$]+\.?$/.test(bare)
}
