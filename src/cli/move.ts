import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from '../config.ts'
import { indexTexts } from '../service/start/index-texts.ts'
import { copyIntoPostgres } from '../service/sql/moving/into-postgres.ts'
import { lockSource } from '../service/sql/moving/source.ts'
import type { Begun } from '../service/sql/postgres/unfinished-copy.ts'
import { storeDataFiles } from './archive/stored-files.ts'
import { grouped, showCopy } from './archive/copy-progress.ts'
import { plain } from './support/finding.ts'
import type { Io } from './support/io.ts'
import { untilStopped } from './support/stop.ts'

/**
 * `tracegate move --to postgres://…`: copies the data directory's database into an empty PostgreSQL database, which a
 * service opens only when all of it is there. The SQLite database stays as it is. May be interrupted and started again.
 */
export async function run({ dataDir, to, databaseUrl }: Config, io: Io): Promise<number> {
  const url = to ?? databaseUrl
  if (url === undefined) throw new ConfigError('--to: name the PostgreSQL database, postgres://user@host/database')
  const file = join(dataDir, 'tracegate.db')
  if (!existsSync(file) || statSync(file).size === 0)
    throw new ConfigError(`there is no database in ${dataDir}: name the directory with --data`)
  const source = lockSource(file)
  const progress = showCopy(io.stderr)
  try {
    const rows = await copyIntoPostgres(source, {
      url,
      indexTexts,
      signal: untilStopped(io),
      beforeEnd: (db) => storeDataFiles(db, dataDir),
      onBegun: (begun) => progress.say(words[begun]),
      onCopied: () => progress.say('building the full-text indexes, and comparing both databases'),
      onProgress: (step) => progress.show(step),
    })
    io.stdout.write(`${done(dataDir, rows).map(plain).join('\n')}\n`)
    return 0
  } finally {
    source.close()
  }
}

const words: Readonly<Record<Begun, string>> = {
  new: 'copying all tables; nothing else can open the database in the data directory meanwhile',
  continued: 'going on with the move that was interrupted',
  again: 'an earlier move was not complete, and the data has changed since: copying all tables again',
}

function done(dataDir: string, rows: number): string[] {
  return [
    `Moved ${grouped(rows)} rows. From now on, start Tracegate with`,
    '  TRACEGATE_DATABASE_URL  the address that you have just named',
    `  TRACEGATE_DATA_DIR      ${dataDir}: it holds the token and the secret`,
    `A process without the first of them would go on with ${join(dataDir, 'tracegate.db')}, which is unchanged: remove it`,
    'when you no longer need it.',
  ]
}
