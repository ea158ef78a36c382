import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { makeMemoryFolder } from './memory-folder.ts'

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
  const folder = makeMemoryFolder()
  process.env['TMPDIR'] = folder
  provide('sharedFolder', folder)
  return () => {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
    rmSync(folder, { recursive: true, force: true })
  }
}
