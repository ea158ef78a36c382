import { Worker } from 'node:worker_threads'

/** Rows changed after which the WAL is merged: about 30 MB of it while events arrive. */
const ROWS_BETWEEN = 4_000
/** Pages that may be left when writes are held for the last pass: it takes a few milliseconds. */
const FEW_PAGES = 500
/** Passes beside writes before the one for which they wait, even if more is left. */
const MOST_PASSES = 3
/** Time without a merge after which the thread ends. */
const IDLE_MS = 10_000

export interface WalMergeOptions {
  /** The file of the database. */
  file: string
  /** Rows that the writing connection has changed since it was opened. */
  changedRows: () => number
  /** Runs work between two transactions, and no write meanwhile. */
  hold: (work: () => Promise<void>) => Promise<void>
}

export interface WalMerge {
  /** To be called after each commit. */
  committed(): void
  /** Waits for the merge in progress and ends the thread. */
  close(): Promise<void>
}

/**
 * Merges the WAL into the file in a thread, so that requests are read and events are stored meanwhile (decision 091). SQLite
 * begins a new WAL only when all of the last one is merged, which never happens while commits follow each other: writes wait
 * for the last pass, which is short.
 */
export function createWalMerge({ file, changedRows, hold }: WalMergeOptions): WalMerge {
  let mergedRows = 0
  let merging: Promise<void> | undefined
  let thread: MergeThread | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false

  async function merge(): Promise<void> {
    clearTimeout(idle)
    const { pass } = (thread ??= startThread(file))
    for (let passes = 0; passes < MOST_PASSES; passes += 1) if ((await pass()) <= FEW_PAGES) break
    if (!isClosed) await hold(async () => void (await pass()))
  }

  /** The writing connection merges by itself what a thread that fails leaves. */
  async function end(): Promise<void> {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.end()
  }

  return {
    committed() {
      if (merging !== undefined || isClosed) return
      const rows = changedRows()
      if (rows - mergedRows < ROWS_BETWEEN) return
      mergedRows = rows
      merging = merge()
        .catch(end)
        .finally(() => {
          merging = undefined
          idle = setTimeout(() => void end(), IDLE_MS).unref()
        })
    },
    async close() {
      isClosed = true
      await merging
      await end()
    },
  }
}

interface MergeThread {
  /** Merges what is committed; resolves to the pages that were written meanwhile or that a reader still needs. */
  pass(this: void): Promise<number>
  end(this: void): Promise<void>
}

function startThread(file: string): MergeThread {
  // As text, so that the thread loads nothing: a module of its own would need a file in the package.
  const worker = new Worker(`(${mergeWhenAsked.toString()})()`, {
    eval: true,
    workerData: file,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  const ended = new Promise<never>((_, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that merges the WAL ended')))
  })
  ended.catch(() => undefined)
  return {
    async pass() {
      const answer = new Promise<number>((resolve) => worker.once('message', resolve))
      worker.postMessage('merge')
      return Promise.race([answer, ended])
    },
    async end() {
      await worker.terminate()
    },
  }
}

/** The program of the thread: it may use nothing from outside of itself. */
function mergeWhenAsked(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const connection = new DatabaseSync(workerData as string)
  // As of the writing connection: on macOS `fsync` leaves data in the drive's cache.
  connection.exec('PRAGMA synchronous = NORMAL; PRAGMA checkpoint_fullfsync = 1')
  const merge = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  parentPort?.on('message', () => {
    const { log, checkpointed } = merge.get() as { log: number; checkpointed: number }
    parentPort.postMessage(log - checkpointed)
  })
}
