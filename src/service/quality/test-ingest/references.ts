import type { ReportCase } from '../reports/model/report.ts'

/** A requirement that a case names, and the criteria of it by number, from 1; none means the whole requirement. */
export interface NamedRequirement {
  key: string
  criteria: number[]
}

/** The keys that the texts of a case name, in upper case: the requirements it verifies, the issue it reproduces, the test it is. */
export interface References {
  requirements: NamedRequirement[]
  testKey: string | undefined
  issueKey: string | undefined
}

/** `REQ-12`, or `REQ-12.2` for its second criterion; `REQ-?3` is found to be told that it leads nowhere. */
const KEY = String.raw`[A-Za-z][A-Za-z0-9]{1,9}-\??\d{1,9}(?:\.\d{1,3})?`
const LIST = `${KEY}(?:\\s*[,;]\\s*${KEY})*`

/** The marked forms of contract §4.2: `[REQ-12]`, `[REQ-12.2]`, `@REQ-12`, `@req:REQ-12`, `req=REQ-12`, `covers: REQ-12, REQ-13`. */
const MARKED = new RegExp(
  String.raw`\[\s*(${LIST})\s*\]|@(?:req(?:uirement)?:)?(${KEY})(?![\w-])|\breq(?:uirement)?s?\s*=\s*(${LIST})|\b(?:covers|verifies)\s*:\s*(${LIST})`,
  'giu',
)
const BARE = new RegExp(String.raw`(?<![\w-])${KEY}(?![\w-])`, 'gu')

/**
 * Finds the keys that a case names. In names and suites only the marked forms count, because prose may contain
 * anything; a tag, a label or an annotation may be just the key. A key of a test (`TC-7`) says which test it is; one of
 * an issue, with the prefix of the product (`SHOP-7`), which issue it reproduces.
 */
export function findReferences(reported: ReportCase, keyPrefix: string): References {
  const { name, suite_path, tags, labels, references } = reported
  const marked = [name, ...suite_path].flatMap((text) => [...text.matchAll(MARKED)].flatMap((match) => match.slice(1)))
  const bare = [...tags, ...Object.values(labels), ...references]
  const found = [...marked, ...bare].flatMap((text) => keysIn(text))
  const distinct = [...new Set(found)]
  return {
    requirements: namedRequirements(distinct),
    issueKey: distinct.find((key) => /^\d+$/.test(key.slice(keyPrefix.length + 1)) && key.startsWith(`${keyPrefix}-`)),
    testKey: distinct.find((key) => /^TC-\d+$/.test(key)),
  }
}

/** Each requirement once: `REQ-12` together with `REQ-12.2` means the criterion. */
function namedRequirements(found: readonly string[]): NamedRequirement[] {
  const named = new Map<string, number[]>()
  for (const reference of found) {
    const [key = '', criterion] = reference.split('.')
    if (!key.startsWith('REQ-')) continue
    const known = named.get(key) ?? []
    named.set(key, criterion === undefined ? known : [...known, Number(criterion)])
  }
  return [...named].map(([key, criteria]) => ({ key, criteria: [...new Set(criteria)] }))
}

function keysIn(text: string | undefined): string[] {
  return [...(text ?? '').slice(0, 4000).matchAll(BARE)].map(([key]) => key.toUpperCase())
}
