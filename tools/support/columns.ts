import * as z from 'zod'
import { Coverage } from '../../src/contract/base/common.ts'
import type { Untrusted } from '../../src/contract/base/text.ts'
import { TestLink } from '../../src/contract/links.ts'
import { flag, pick, teamLine, upTo } from '../../src/mcp/result/output.ts'
import { hasText, knownName } from '../../src/mcp/text/untrusted.ts'

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

/** The name of an environment or release where the workspace vouches for it, else that only events gave it. */
export function vouchedName(name: Untrusted<string> | undefined, known: boolean | undefined): string | undefined {
  return hasText(name) ? (knownName(name, known) ?? 'named by no member') : undefined
}

/** A time to the second: `2026-11-21T03:54:12Z`. */
export function toSecond(time: string | null | undefined): string | undefined {
  return time?.replace(/\.\d+(?=Z|[+-])/, '')
}
