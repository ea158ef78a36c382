import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../../../errors.ts'
import { inBatches } from '../../../../lib/batches.ts'
import { createTurns } from '../../../../lib/in-turn.ts'
import type { FileStore } from './file-store.ts'

/** Tables that are fetched at once for one event. */
const AT_ONCE = 4

/** Writes the tables that its folder lacks from the database; a table that neither has stays missing. */
export type FetchTables = (contents: Iterable<string>) => Promise<void>

/**
 * Makes a folder of tables a cache of those in the database. Several callers wait for one fetch of a table. Rejects with
 * failures of the database; those of the disk leave the table missing, which costs its frames only.
 */
export function createTableFetcher(files: Pick<FileStore, 'fetch'>, folder: string): FetchTables {
  const turns = createTurns<string>()

  async function fetchOne(content: string): Promise<void> {
    const file = join(folder, content)
    try {
      await turns.run(content, async () => {
        if (!existsSync(file)) await files.fetch('sourcemaps', { name: content, file })
      })
    } catch (thrown) {
      if (thrown instanceof ServiceError) throw thrown
    }
  }

  return async (contents) => {
    const missing = [...new Set(contents)].filter((content) => content !== '' && !existsSync(join(folder, content)))
    await inBatches(missing, AT_ONCE, fetchOne)
  }
}
