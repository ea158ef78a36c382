import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { openScopeTable } from '../scopes/scope-table.ts'
import { openMapTable } from '../table/map-table.ts'
import { openSourceTable } from '../table/source-table.ts'
import type { ArtifactKind, ProcessedArtifact } from './processed.ts'

/** Tables of other versions are written again. */
const FORMAT_VERSION = 3

/** The tables of one upload: written to a staging folder, and moved to the finished ones when the upload is good. */
export interface TableWriter {
  /**
   * The name of the table of these bytes. `write` creates it unless an intact one exists; errors of `write` propagate
   * and leave nothing behind.
   */
  add(kind: ArtifactKind, bytes: Uint8Array, write: (file: string) => void): string
  /** Moves the written tables to the finished ones; they are on disk afterwards. */
  publish(): void
}

/** Tables are named after their content, so that a file uploaded twice has one table (`sourcemap_artifact.content`). */
export function createTableWriter({ tables, staging }: { tables: string; staging: string }): TableWriter {
  const written = new Set<string>()
  return {
    add(kind, bytes, write) {
      const name = createHash('sha256').update(`${kind} ${FORMAT_VERSION}\n`).update(bytes).digest('hex')
      if (written.has(name)) return name
      if (isWhole(kind, join(tables, name))) {
        keep(join(tables, name))
        return name
      }
      write(join(staging, name))
      written.add(name)
      return name
    },
    publish() {
      for (const name of written) {
        flush(join(staging, name))
        renameSync(join(staging, name), join(tables, name))
      }
    },
  }
}

/**
 * Whether the tables of all artifacts can be opened: a folder may be lost, or a file damaged. Those that can are kept for
 * the artifacts that the caller is about to record.
 */
export function areWhole(tables: string, artifacts: readonly Pick<ProcessedArtifact, 'kind' | 'content'>[]): boolean {
  const files = artifacts.filter(({ content }) => content !== '')
  if (!files.every(({ kind, content }) => isWhole(kind, join(tables, content)))) return false
  for (const { content } of files) keep(join(tables, content))
  return true
}

/** Marks a table as new, so that it is not removed before its artifact is recorded (`retention.ts`). */
function keep(file: string): void {
  const now = new Date()
  utimesSync(file, now, now)
}

const open = { map: openMapTable, minified: openScopeTable, source: openSourceTable }

function isWhole(kind: ArtifactKind, file: string): boolean {
  try {
    open[kind](file).close()
    return true
  } catch {
    return false
  }
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
