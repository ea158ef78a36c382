import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeMemoryFolder } from './memory-folder.ts'

/** In the shared folder, what `onceInRun` has made. */
export const MADE = 'made'

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
export default function setup(project: TestProject): () => void {
  const usual = process.env['TMPDIR']
  const folder = makeMemoryFolder()
  process.env['TMPDIR'] = folder
  project.provide('sharedFolder', folder)
  // What was made of the sources before they changed.
  project.onTestsRerun(() => {
    rmSync(join(folder, MADE), { recursive: true, force: true })
    return Promise.resolve()
  })
  return () => {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
    rmSync(folder, { recursive: true, force: true })
  }
}
