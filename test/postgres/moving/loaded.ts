import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { once } from '../../../src/lib/once.ts'
import { tracegate } from '../../cli/run.ts'
import { createDatabase } from '../databases.ts'
import { readAnswers, withService } from './answers.ts'

/** A data directory with the sample and a verdict in SQLite, and what the service on it answers. */
export const loaded = once(async () => {
  const dataDir = newFolder()
  await withService({ dataDir, sample: true }, async (_, post) => {
    await post('products/1/quality-gate:compute', {})
  })
  return { dataDir, answers: await readAnswers({ dataDir }) }
})

/** The same, for a test to change. */
export async function copyLoaded(): Promise<{ dataDir: string; answers: Record<string, unknown> }> {
  const { dataDir, answers } = await loaded()
  const copy = newFolder()
  cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true })
  return { dataDir: copy, answers }
}

/** The same, moved into a PostgreSQL database. */
const moved = once(async () => {
  const { dataDir, answers } = await copyLoaded()
  const database = await createDatabase('template0')
  const { code, stderr } = await tracegate(['move', '--to', database.url, '--data', dataDir])
  if (code !== 0) throw new Error(stderr)
  return { dataDir, answers, database }
})

/** The sample in a PostgreSQL database, for a test to change until it ends. */
export async function copyMoved(): Promise<{ dataDir: string; answers: Record<string, unknown>; url: string }> {
  const { dataDir, answers, database } = await moved()
  const { url, drop } = await createDatabase(database.name)
  onTestFinished(drop)
  const copy = newFolder()
  cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true })
  return { dataDir: copy, answers, url }
}

/** In the temporary folder of the run. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tracegate-moving-'))
}

/** A database without tables, until the test ends. */
export async function emptyDatabase(): Promise<string> {
  const database = await createDatabase('template0')
  onTestFinished(() => database.drop())
  return database.url
}

/** The rows of a statement in a PostgreSQL database. */
export async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
