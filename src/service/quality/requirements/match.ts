import { compileGlob, isLiteral, literalPrefix } from '../../workspace/components/glob.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { CodeRefs, type StoredCodeRef } from './columns.ts'
import { readJson } from '../../sql/json.ts'

/** A requirement that claims a file, and the code reference that matches the file. */
export interface PathClaim {
  requirementId: string
  codeRef: StoredCodeRef
}

/** Of a prefix and its glob: an index of PostgreSQL takes entries of 2,704 bytes, with the ids of product and requirement. */
const MOST_BYTES = 2_500

/**
 * How a code reference is indexed: by its whole path, or by the folders of a glob before its first wildcard. Of one too long
 * for an index the outer folders are kept, by which it is found as well.
 */
export function indexedPath(glob: string): { prefix: string; isLiteral: boolean } {
  const literal = literalPrefix(glob)
  const isWhole = isLiteral(glob)
  const prefix = isWhole ? literal : toFolder(literal)
  const room = MOST_BYTES - Buffer.byteLength(glob)
  if (Buffer.byteLength(prefix) <= room) return { prefix, isLiteral: isWhole }
  const outer = enclosingPrefixes(prefix).filter((one) => toFolder(one) === one && Buffer.byteLength(one) <= room)
  return { prefix: outer.toSorted((one, other) => other.length - one.length)[0] ?? '', isLiteral: false }
}

function toFolder(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/**
 * The requirements whose code references match each path (contract §3), without the paths that none match. Only
 * references that start like the path are tested, however many requirements there are.
 */
export async function requirementsOfPaths(
  rows: Rows,
  productId: number,
  paths: readonly string[],
): Promise<Map<string, PathClaim[]>> {
  const candidates = await readCandidates(rows, productId, paths)
  const matches = new Map<string, Candidate[]>()
  for (const path of new Set(paths)) {
    const starting = enclosingPrefixes(path)
      .toSorted()
      .flatMap((prefix) => candidates.get(prefix) ?? [])
    const matching = starting.filter(({ glob }) => compileGlob(glob)(path))
    if (matching.length > 0) matches.set(path, matching)
  }
  const refs = await loadCodeRefs(rows, [
    ...new Set([...matches.values()].flat().map(({ requirementId }) => requirementId)),
  ])
  return new Map(
    [...matches].map(([path, found]) => [
      path,
      found.flatMap(({ requirementId, glob }) => {
        const codeRef = refs.get(requirementId)?.find((ref) => ref.path === glob)
        return codeRef === undefined ? [] : [{ requirementId, codeRef }]
      }),
    ]),
  )
}

interface Candidate {
  requirementId: string
  glob: string
}

/** The code references that start like one of the paths, by their prefix. */
async function readCandidates(rows: Rows, productId: number, paths: readonly string[]) {
  const prefixes = [...new Set(paths.flatMap(enclosingPrefixes))]
  const found = await rows
    .selectFrom('requirement_path')
    .select(['prefix', 'requirement_id as requirementId', 'glob'])
    .where('product_id', '=', productId)
    .where(rows.dialect.isOneOf('prefix', prefixes))
    .execute()
  return Map.groupBy(found, ({ prefix }): string => prefix) satisfies Map<string, Candidate[]>
}

/** The path itself, as a file and as a folder (`src/**` matches `src`), and every folder around it. */
export function enclosingPrefixes(path: string): string[] {
  const folders = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))
  return [path, `${path}/`, '', ...folders]
}

async function loadCodeRefs(rows: Rows, requirementIds: readonly string[]): Promise<Map<string, StoredCodeRef[]>> {
  const refs = new Map<string, StoredCodeRef[]>()
  for (const chunk of chunks(requirementIds)) {
    const found = await rows.selectFrom('requirement').select(['id', 'code_refs']).where('id', 'in', chunk).execute()
    for (const { id, code_refs } of found) refs.set(id, readJson(CodeRefs, code_refs))
  }
  return refs
}
