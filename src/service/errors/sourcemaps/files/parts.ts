import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Prepare, Rows } from '../../../sql/database.ts'
import { PAUSE_MS } from '../../../sql/in-steps.ts'

/** Bytes of a part and, about, of a transaction: writes of all processes wait while it is sent. */
const PART_BYTES = 1024 ** 2
/** Statements of one transaction, when files are small. */
const MOST_STATEMENTS = 400
/** Parts that one transaction removes. */
const STEP = 32

/** What the row of a file says of its bytes. */
export interface Head {
  /** Names the parts. */
  body: string
  bytes: number
}

type Statement = (prepare: Prepare) => Promise<void>

/** Statements in transactions of limited size. */
export interface Steps {
  /** Keeps a statement that sends so many bytes for the transaction that is run once it is large enough. */
  take(bytes: number, statement: Statement): Promise<void>
  /** Runs what is left. */
  flush(): Promise<void>
}

/** Runs the statements in the order in which they are taken. A failure is that of the `take` or `flush` that runs them. */
export function createSteps(db: Database): Steps {
  let waiting: Statement[] = []
  let held = 0

  async function flush(): Promise<void> {
    const statements = waiting
    waiting = []
    held = 0
    if (statements.length === 0) return
    await db.batch(async (prepare) => {
      for (const statement of statements) await statement(prepare)
    })
  }

  return {
    async take(bytes, statement) {
      waiting.push(statement)
      held += bytes
      if (held >= PART_BYTES || waiting.length >= MOST_STATEMENTS) await flush()
    },
    flush,
  }
}

/** Stores the bytes of a file as parts of a body; resolves to their number. */
export async function writeParts(
  steps: Steps,
  { file, body, madeAt }: { file: string; body: string; madeAt: number },
): Promise<number> {
  let bytes = 0
  let part = 0
  const read: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: PART_BYTES })
  for await (const chunk of read) {
    const number = part++
    bytes += chunk.byteLength
    await steps.take(chunk.byteLength, async (prepare) => {
      await prepare('INSERT INTO stored_file_part (body, part, bytes, made_at) VALUES (?, ?, ?, ?)').run(
        body,
        number,
        chunk,
        madeAt,
      )
    })
  }
  return bytes
}

/** Writes the parts under a temporary name and renames it; false when one is gone, since the file was replaced or removed. */
export async function writeFile(rows: Rows, { body, bytes }: Head, file: string): Promise<boolean> {
  const temporary = `${file}.${randomBytes(8).toString('hex')}.part`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    try {
      for (let [part, written] = [0, 0]; written < bytes; part++) {
        const found = await readPart(rows, body, part)
        if (found === undefined) return false
        await handle.appendFile(found)
        written += found.byteLength
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}

async function readPart(rows: Rows, body: string, part: number): Promise<Uint8Array | undefined> {
  const found = await rows
    .selectFrom('stored_file_part')
    .select('bytes')
    .where('body', '=', body)
    .where('part', '=', part)
    .executeTakeFirst()
  return found?.bytes
}

/**
 * Removes parts that belong to no file, few in each transaction. The look at the file is for a write whose commit
 * succeeded although its answer was lost.
 */
export async function removeLost(
  db: Database,
  { where, value, signal }: { where: string; value: string | number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const { changes } = await db.batch((prepare) =>
      prepare(
        `DELETE FROM stored_file_part WHERE (body, part) IN (
           SELECT part.body, part.part FROM stored_file_part AS part
           WHERE ${where} AND NOT EXISTS (SELECT 1 FROM stored_file WHERE stored_file.body = part.body) LIMIT ?)`,
      ).run(value, STEP),
    )
    if (changes < STEP) return
    await sleep(PAUSE_MS)
  }
}
