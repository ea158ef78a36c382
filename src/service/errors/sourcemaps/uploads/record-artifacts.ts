import type { Database, Prepare } from '../../../sql/database.ts'
import { baseName } from '../process/paths.ts'
import type { ProcessedArtifact } from '../process/processed.ts'
import type { StoredUpload } from './stored.ts'
import type { State } from './states.ts'

/** Rows per transaction: events that arrive meanwhile have to wait. */
const STEP = 1_000

type Owner = Pick<StoredUpload, 'id' | 'product_id' | 'release' | 'dist'>

/**
 * Stores the artifacts of an upload and the repository paths that it names, in small transactions. Replaces what an
 * earlier attempt has left.
 */
export async function recordArtifacts(
  db: Database,
  owner: Owner,
  found: { artifacts: readonly ProcessedArtifact[]; sources: readonly string[] },
): Promise<void> {
  await db.batch(async (prepare) => {
    const { changes: left } = await prepare('DELETE FROM sourcemap_artifact WHERE sourcemap_id = ?').run(owner.id)
    // Sources are written after the artifacts; finding those of one upload means reading all of the product's.
    if (left === 0) return
    await prepare('DELETE FROM sourcemap_source WHERE product_id = ? AND sourcemap_id = ?').run(
      owner.product_id,
      owner.id,
    )
  })
  for (const step of inSteps(found.artifacts)) await db.batch((prepare) => insertArtifacts(prepare, owner, step))
  for (const paths of inSteps(found.sources)) await recordSources(db, owner, paths)
}

async function recordSources(db: Database, owner: Owner, paths: readonly string[]): Promise<void> {
  await db.batch(async (prepare) => {
    const insert = prepare(
      'INSERT INTO sourcemap_source (product_id, path, sourcemap_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    )
    for (const path of paths) await insert.run(owner.product_id, path, owner.id)
  })
}

/** Stores artifacts inside the caller's transaction. */
export async function insertArtifacts(
  prepare: Prepare,
  { id, product_id: productId, release, dist }: Owner,
  artifacts: readonly ProcessedArtifact[],
): Promise<void> {
  const insert = prepare(
    `INSERT INTO sourcemap_artifact
       (product_id, sourcemap_id, kind, content, debug_id, release, dist, path, base_name, counterpart)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (const { kind, content, debugId, path, counterpart } of artifacts) {
    await insert.run(productId, id, kind, content, debugId, release, dist, path, baseName(path), counterpart)
  }
}

/**
 * Gives an upload the repository paths of the newest other one with the same bytes that names any, inside the caller's
 * transaction: each vouches for its files on its own, because the others may be removed before it. Of one only, because a build
 * that does not change is uploaded for hundreds of releases.
 */
export async function copySources(
  prepare: Prepare,
  { id, product_id: productId, sha256, artifact }: Pick<StoredUpload, 'id' | 'product_id' | 'sha256' | 'artifact'>,
): Promise<void> {
  const ready = 'SOURCEMAP_STATE_READY' satisfies State
  await prepare(
    `INSERT INTO sourcemap_source (product_id, path, sourcemap_id)
       SELECT product_id, path, ?1 FROM sourcemap_source WHERE sourcemap_id = (
         SELECT id FROM sourcemap
         WHERE product_id = ?2 AND sha256 = ?3 AND artifact = ?4 AND state = '${ready}' AND id <> ?1
           AND EXISTS (SELECT 1 FROM sourcemap_source AS named WHERE named.sourcemap_id = sourcemap.id)
         ORDER BY id DESC LIMIT 1)`,
  ).run(id, productId, sha256, artifact)
}

function* inSteps<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += STEP) yield rows.slice(start, start + STEP)
}
