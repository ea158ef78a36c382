import { sql } from 'kysely'
import type * as z from 'zod'
import type { TestContext } from '../../../contract/test-context.ts'
import { compileGlob, isLiteral, literalPrefix } from '../../workspace/components/glob.ts'
import type { Owners } from '../../workspace/components/components.ts'
import type { LiveIssue } from '../../quality/gaps/exposure.ts'
import type { ComponentRef } from '../../workspace/releases/names.ts'
import type { StoredCodeRef } from '../../quality/requirements/columns.ts'
import type { Rows } from '../../sql/database.ts'

export type CodeFile = z.input<typeof TestContext>['code_files'][number]

const ISSUES_PER_FILE = 3
const SYMBOLS_PER_FILE = 8
/** The most files that one glob may add. */
const PER_GLOB = 50

export interface CodeFileFacts {
  productId: number
  codeRefs: readonly StoredCodeRef[]
  componentGlobs: readonly string[]
  /** The issues in the requirement's files, most events first. */
  issues: readonly LiveIssue[]
  owners: Owners
  components: ReadonlyMap<string, ComponentRef>
  keyPrefix: string
}

/**
 * The files to read for a requirement: those it names, those a marker names, those that occur in its errors, and
 * finally the known files of its components. A glob is replaced by the known files that it matches; one without matches
 * stays.
 */
export async function listCodeFiles(rows: Rows, facts: CodeFileFacts): Promise<CodeFile[]> {
  const files = new Map<string, CodeFile>()
  const add = (path: string, reason: CodeFile['reason'], symbols: readonly string[] = []) => {
    const known = files.get(path)
    if (known !== undefined) {
      known.symbols = [...new Set([...known.symbols, ...symbols])].slice(0, SYMBOLS_PER_FILE)
      return
    }
    const component = facts.components.get(facts.owners.findOwner(path) ?? '') ?? null
    files.set(path, {
      path,
      component,
      reason,
      symbols: [...symbols].slice(0, SYMBOLS_PER_FILE),
      excerpt: '',
      recent_issues: [],
    })
  }
  for (const { path, symbol, source } of facts.codeRefs) {
    const reason = source === 'CODE_REF_SOURCE_MARKER' ? 'marker' : 'declared'
    const found = isLiteral(path) ? [path] : await knownFiles(rows, facts.productId, path)
    for (const one of found.length === 0 ? [path] : found) add(one, reason, symbol === '' ? [] : [symbol])
  }
  const matchers = facts.codeRefs.map(({ path }) => compileGlob(path))
  for (const { id, files: touched } of facts.issues) {
    const mine = touched.filter(({ path }) => matchers.some((matches) => matches(path)))
    for (const { path } of mine) add(path, 'stack_frame', await functionsIn(rows, facts.productId, path, id))
  }
  if (facts.codeRefs.length === 0) {
    for (const glob of facts.componentGlobs) {
      for (const path of await knownFiles(rows, facts.productId, glob)) add(path, 'component_glob')
    }
  }
  for (const file of files.values()) {
    file.recent_issues = facts.issues
      .filter((issue) => issue.files.some(({ path }) => path === file.path))
      .slice(0, ISSUES_PER_FILE)
      .map(({ id, number, title }) => ({ id, short_id: `${facts.keyPrefix}-${String(number)}`, title }))
  }
  return [...files.values()]
}

/**
 * The known files that a glob matches: sources in source maps and files of the last working tree that a caller sent.
 */
async function knownFiles(rows: Rows, productId: number, glob: string): Promise<string[]> {
  const prefix = literalPrefix(glob)
  const end = `${prefix}\u{10ffff}`
  const { rows: known } = await sql<{ path: string }>`
    SELECT path FROM repository_path WHERE product_id = ${productId} AND path >= ${prefix} AND path < ${end}
    UNION SELECT path FROM sourcemap_source WHERE product_id = ${productId} AND path >= ${prefix} AND path < ${end}
    ORDER BY path`.execute(rows)
  const matches = compileGlob(glob)
  return known
    .map(({ path }) => path)
    .filter((path) => matches(path))
    .slice(0, PER_GLOB)
}

async function functionsIn(rows: Rows, productId: number, path: string, issueId: string): Promise<string[]> {
  const found = await rows
    .selectFrom('issue_frame')
    .select('function')
    .where('product_id', '=', productId)
    .where('path', '=', path)
    .where('issue_id', '=', issueId)
    .where('function', '<>', '')
    .orderBy('distance')
    .execute()
  return found.map((row) => row.function)
}
