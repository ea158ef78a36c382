import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what test files share; removed at the end of the run. */
    sharedFolder: string
  }
}

export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-shared-'))
  provide('sharedFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
