import type { Untrusted } from '../../src/contract/base/text.ts'
import type { LocalFiles } from '../../src/mcp/files/local-files.ts'
import { hasText, knownName, type Quoted, quoted, textMatching } from '../../src/mcp/text/untrusted.ts'

/** Who wrote the text in a test's untrusted block. */
export const testReport = { source: 'test report', writableBy: 'whoever wrote or ran the tests' } as const
/** Of a block that holds both. */
export const eventOrReport = {
  source: 'error event or test report',
  writableBy: 'anyone with the public DSN, or whoever wrote or ran the tests',
} as const

/** The names of a test as an answer gives them. */
export interface TestNames {
  title?: Untrusted<string> | undefined
  file_path?: Untrusted<string> | undefined
  /** Whether members vouch for both; a deployment that does not say so does not vouch. */
  names_known?: boolean | undefined
  line?: number | undefined
}

/** The names that may be shown as facts, and the others for the untrusted block, if there are any (mcp §6.3). */
export interface ShownNames {
  facts: { title: string | undefined; file: string | undefined }
  reported: { title: Quoted | undefined; file: Quoted | undefined } | undefined
}

/** What failed outside of every test case, in the words of the service (contract §4.3). */
const SERVICE_NAMES = /^<(?:load error|run error|unreadable report|file skipped|unnamed)>$/

/** Whether a test stands for what failed outside of the test cases. */
export function isOutsideError(title: Untrusted<string> | undefined): boolean {
  return textMatching(title, /^<(?:load error|run error|unreadable report)>$/) !== undefined
}

/** Divides the names of a test; a file is a fact too when it exists on this machine. */
export async function showNames(names: TestNames, local: LocalFiles | undefined): Promise<ShownNames> {
  const { title, file_path: path, names_known: isKnown, line = 0 } = names
  const known = knownName(title, isKnown) ?? textMatching(title, SERVICE_NAMES)?.slice(1, -1)
  const file = knownName(path, isKnown) ?? (await existingPath(path, local))
  const at = line === 0 ? '' : `:${line}`
  const reported = {
    title: known === undefined && hasText(title) ? quoted`${title}`.cut(120) : undefined,
    file: file === undefined && hasText(path) ? quoted`${path}${at}`.cut(160) : undefined,
  }
  const isWhole = reported.title === undefined && reported.file === undefined
  return { facts: { title: known, file: file && `${file}${at}` }, reported: isWhole ? undefined : reported }
}

/** Whether any name is a fact; a row of nothing but its key says nothing. */
export function hasFacts({ title, file }: ShownNames['facts']): boolean {
  return title !== undefined || file !== undefined
}

/** A path that an outsider may have named, as plain text when it is a file of this machine (mcp §6.3). */
export async function existingPath(
  path: Untrusted<string> | undefined,
  local: LocalFiles | undefined,
): Promise<string | undefined> {
  const text = knownName(path, true) ?? ''
  return text !== '' && (await local?.exists(text)) === true ? text : undefined
}

/** Test runners that a report may say it is of; any other name is shown as text of the report. */
const RUNNERS =
  /^(?:vitest|jest|mocha|jasmine|karma|ava|tap|tape|node:test|bun|deno|playwright|cypress|webdriverio|cucumber|pytest|unittest|nose2|robot|go|gotestsum|cargo|nextest|junit|testng|surefire|gradle|maven|spock|rspec|minitest|phpunit|pest|nunit|xunit|mstest|dotnet|exunit|googletest|catch2|ctest|swift|xctest|dart|flutter)$/

/** The name of a test runner that everybody knows. */
export function runnerName(framework: Untrusted<string> | undefined): string | undefined {
  return textMatching(framework, RUNNERS)
}

/** Twelve digits of a commit's digest are enough for git, and cost a third of the tokens; undefined for other text. */
export function shortCommit(commit: Untrusted<string> | undefined): string | undefined {
  return textMatching(commit, /^[0-9a-f]{7,64}$/i)?.slice(0, 12)
}

/** The name of a git branch that half of all repositories have. */
export function usualBranch(branch: Untrusted<string> | undefined): string | undefined {
  return textMatching(branch, /^(?:main|master|trunk|develop|dev)$/)
}
