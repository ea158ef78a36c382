import { existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { MADE } from './global-setup.ts'

/**
 * A folder that takes long to make, for all test processes of this run: the first that asks for it makes it, and the others
 * wait. Nobody writes into it. `make` gets the path of a folder that does not exist.
 */
export async function onceInRun(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const shared = join(inject('sharedFolder'), MADE)
  mkdirSync(shared, { recursive: true })
  const folder = join(shared, name)
  const making = `${folder}.making`
  while (!existsSync(folder)) {
    if (!isFirst(making)) await sleep(50)
    else {
      try {
        // Another one may have made it between the two looks.
        if (!existsSync(folder)) {
          await make(`${folder}.new`)
          renameSync(`${folder}.new`, folder)
        }
      } finally {
        rmdirSync(making)
      }
    }
  }
  return folder
}

function isFirst(making: string): boolean {
  try {
    mkdirSync(making)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
