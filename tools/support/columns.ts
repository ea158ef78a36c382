import * as z from 'zod'
import { Coverage } from '../../src/contract/base/common.ts'
import type { Untrusted } from '../../src/contract/base/text.ts'
import { TestLink } from '../../src/contract/links.ts'
import { flag, pick, teamLine, upTo } from '../../src/mcp/result/output.ts'
import { isShowable } from '../../src/mcp/result/teach.ts'
import { hasText, knownName, type BlockContent } from '../../src/mcp/text/untrusted.ts'

/** The title of a row, shorter than in a result about one thing. */
export const rowTitle = upTo(teamLine, 120)

/** A file of the repository. */
export const repositoryPath = upTo(teamLine, 160)

/** The state of a requirement, and what makes it worse than its word says: members of the contract's `Coverage`. */
export const coverageState = { state: Coverage.shape.state, failing: flag, suspect: flag }

/** The link between a test and a requirement. */
export const linkColumns = { ...pick(TestLink, 'role', 'state', 'origin'), criteria: z.int() }

/** What a result calls a requirement or a test: its key, else its id. */
export function keyOrId({ id, key }: { id?: string | undefined; key?: string | undefined }): string {
  return key === undefined || key === '' ? (id ?? '') : key
}

/** Keys or names of a cell, separated by commas; undefined when there is none. */
export function listed(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(', ')
}

/** Shown in place of a name where the deployment does not say who gave it. */
export const NOT_VOUCHED = '(not vouched for here)'

/** Shown in place of a name that nobody else gave. In parentheses, so that no reader takes it for a name. */
const BY_EVENTS = '(named only by events or tests)'

/**
 * The name of an environment or release if the workspace vouches for it. Otherwise words that say that only events gave
 * it, or that the deployment does not say who did. Undefined without a name.
 */
export function vouchedName(name: Untrusted<string> | undefined, known: boolean | undefined): string | undefined {
  if (!hasText(name)) return undefined
  return knownName(name, known) ?? (known === undefined ? NOT_VOUCHED : BY_EVENTS)
}

/** How a release gets a name that is shown, where one of these has none; '' else. */
export function namingSentence(names: readonly (string | undefined)[], offers: (tool: string) => boolean): string {
  if (!names.includes(BY_EVENTS)) return ''
  const byMember = offers('record_release') ? 'record_release' : 'tracegate sourcemaps upload --release'
  return `A release gets its name by ${byMember}, or by events with a server key (tracegate admin key add --server).`
}

/** The same within a sentence, where `noun` is what has the name: `a release`. */
export function vouchedWords(noun: string, name: Untrusted<string> | undefined, known: boolean | undefined) {
  const word = vouchedName(name, known)
  return word === undefined || knownName(name, known) !== undefined ? word : `${noun} ${word}`
}

/**
 * Returns what to call something that the caller named in this call. If nobody vouches for its name, that is the caller's
 * own text, which tells the caller nothing new, unless the text has room for more than a name.
 */
export function givenName(given: string, name: Untrusted<string> | undefined, known: boolean | undefined) {
  return knownName(name, known) ?? (isShowable(given) ? given : vouchedName(name, known))
}

/** Members of the untrusted block: names that only events gave, and names where the deployment does not say who gave them. */
export function unvouchedMembers(names: readonly { known: boolean | undefined; shown: BlockContent }[]) {
  const [unstated, stated] = [true, false].map((wanted) =>
    names.filter(({ known }) => (known === undefined) === wanted).map(({ shown }) => shown),
  )
  return { named_only_by_events_or_tests: stated, names_not_vouched_for: unstated }
}

/** A time to the second: `2026-11-21T03:54:12Z`. */
export function toSecond(time: string | null | undefined): string | undefined {
  return time?.replace(/\.\d+(?=Z|[+-])/, '')
}
