import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what test files share; removed at the end of the run. */
    sharedFolder: string
  }
}

/**
 * Makes the folder of everything temporary, in memory where that is possible: the service syncs each commit to the disk,
 * and tests spent much of their time waiting for it. No test depends on the disk: a killed process loses what it has not
 * written in either place.
 */
export default function setup({ provide }: TestProject): () => void {
  const usual = process.env['TMPDIR']
  const folder = makeFolder('/dev/shm') ?? mkdtempSync(join(tmpdir(), prefix))
  process.env['TMPDIR'] = folder
  provide('sharedFolder', folder)
  return () => {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
    rmSync(folder, { recursive: true, force: true })
  }
}

const prefix = `tracegate-tests-${String(process.pid)}-`
/** A run needs a fraction of it. */
const ENOUGH_BYTES = 2 * 1024 ** 3

/** A folder in memory; undefined where there is no such place, little room, or programs may not be started from it. */
function makeFolder(memory: string): string | undefined {
  try {
    removeLeftOver(memory)
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < ENOUGH_BYTES) return undefined
    const folder = mkdtempSync(join(memory, prefix))
    const program = join(folder, 'program')
    writeFileSync(program, '', { mode: 0o700 })
    try {
      accessSync(program, constants.X_OK)
      return folder
    } catch {
      rmSync(folder, { recursive: true })
    }
  } catch {
    // Systems other than Linux have no such folder.
  }
  return undefined
}

/** Removes the folders of runs that were killed, which would occupy memory until the machine stops. */
function removeLeftOver(memory: string): void {
  for (const name of readdirSync(memory)) {
    const [, pid] = /^tracegate-tests-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(memory, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
