import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { AS_OWNER } from '../../lib/files/why-refused.ts'
import { databaseProblem, restoringFile } from '../../service/sql/sqlite/database-file.ts'
import { accessProblem } from '../../service/sql/sqlite/file-access.ts'
import { dataDirProblem, lostDatabase, unreadableFile } from '../support/data-dir.ts'
import type { Finding } from '../support/finding.ts'

const what = 'data directory'

/** Whether the service can use what is in the data directory, and store there. Changes nothing. */
export function checkDataDir(config: Config): Finding {
  const { dataDir, databaseUrl } = config
  const problem = dataDirProblem(dataDir)
  if (problem !== undefined) {
    const fix = 'choose another with --data or TRACEGATE_DATA_DIR'
    return failed(`${dataDir} cannot be used (${problem})`, fix)
  }
  if (!existsSync(dataDir)) return { what, ok: true, found: `${dataDir}, created at the first start` }
  const unreadable = unreadableFile(config)
  if (unreadable !== undefined) return failed(unreadable, AS_OWNER)
  return databaseUrl === undefined ? checkFile(dataDir) : { what, ok: true, found: dataDir }
}

/** The same for its SQLite database. */
function checkFile(dataDir: string): Finding {
  const file = join(dataDir, 'tracegate.db')
  const unfinished = restoringFile(file)
  if (existsSync(unfinished))
    return failed(`the restore of ${file} is not complete`, `run tracegate restore again, or delete ${unfinished}`)
  const access = accessProblem(file)
  if (access !== undefined) return failed(`the database ${file} cannot be used: ${access.why}`, access.remedy)
  const damage = databaseProblem(file)
  if (damage !== undefined) {
    const fix = 'restore a copy of it, or choose another data directory with --data or TRACEGATE_DATA_DIR'
    return failed(`the database ${file} cannot be used: ${damage}`, fix)
  }
  const lost = lostDatabase(dataDir)
  if (lost !== undefined)
    return failed(lost, 'restore a backup of it; without one, the next start creates an empty database')
  return { what, ok: true, found: `${dataDir}${existsSync(file) ? '' : ', empty'}` }
}

function failed(found: string, fix: string): Finding {
  return { what, ok: false, found, fix }
}
