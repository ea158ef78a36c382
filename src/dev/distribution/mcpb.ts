import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import packageJson from '../../../package.json' with { type: 'json' }
import { build, engines } from '../build.ts'
import { mcpbManifest } from './mcpb-manifest.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Equal packages give equal bundles. */
const MODIFIED = new Date('2026-01-01T00:00:00Z')

/** Writes the MCPB bundle into `file`: the published package in the folder `server`, and the manifest beside it. */
export async function writeMcpb(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-mcpb-'))
  try {
    await build(folder)
    const zip = new ZipFile()
    const options = { mtime: MODIFIED, mode: 0o100644 }
    zip.addBuffer(Buffer.from(`${JSON.stringify(mcpbManifest(engines), undefined, 2)}\n`), 'manifest.json', options)
    for (const path of filesIn(folder)) {
      const name = `server/${relative(folder, path).replaceAll('\\', '/')}`
      zip.addBuffer(readFileSync(path), name, options)
    }
    zip.end()
    await pipeline(zip.outputStream, createWriteStream(file))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

if (import.meta.main) {
  const folder = join(root, 'bundle')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `tracegate-${packageJson.version}.mcpb`)
  await writeMcpb(file)
  console.log(`${relative(root, file)}: ${String(Math.round(readFileSync(file).byteLength / 1024))} KiB`)
}
