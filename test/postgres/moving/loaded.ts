import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { once } from '../../../src/lib/once.ts'
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
