import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '../../../../src/dev/build.ts'
import type { Suite } from '../../harness/suite.ts'
import { killRounds } from './kills.ts'
import { openPair } from './pair.ts'
import { ingestRates } from './rates.ts'

/** Two processes of the service on one PostgreSQL server. */
export const processes: Suite = {
  about:
    'Two processes on one PostgreSQL server of this machine, which flushes each commit. Ingest of one and of both, in turn; then ' +
    'one of them is killed under load, again and again, while the other goes on; at the end everything is read by REST.',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
    try {
      await build(join(folder, 'dist'))
      const open = (name: string) => openPair(join(folder, 'dist', 'tracegate.js'), join(folder, name))
      return [...(await ingestRates(() => open('rates'))), await killRounds(() => open('kills'))]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
