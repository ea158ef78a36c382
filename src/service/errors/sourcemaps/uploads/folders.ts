import { join } from 'node:path'

/** Where uploads and their tables are kept. */
export interface SourceMapFolders {
  /** Unconfirmed uploads and tables that are being written. */
  uploads: string
  /** Finished tables. */
  tables: string
}

/** The folders in a data directory; created when first needed. */
export function sourceMapFolders(dataDir: string): SourceMapFolders {
  return { uploads: join(dataDir, 'uploads'), tables: join(dataDir, 'sourcemaps') }
}

/** Where the tables of an upload are written before it is known to be good. */
export function stagingFolder({ uploads }: SourceMapFolders, id: string): string {
  return join(uploads, `${id}.tables`)
}
