import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = `tracegate-tests-${String(process.pid)}-`
/** A run needs a fraction of it. */
const ENOUGH_BYTES = 2 * 1024 ** 3

/** Makes a folder for this run: in memory where that is possible, else where temporary files are. */
export function makeMemoryFolder(): string {
  return folderIn('/dev/shm') ?? mkdtempSync(join(tmpdir(), prefix))
}

/** Undefined where there is no such place, little room, or programs may not be started from it. */
function folderIn(memory: string): string | undefined {
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
