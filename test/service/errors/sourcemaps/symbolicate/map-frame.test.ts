import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { normalise } from '../../../../../src/service/errors/ingest/normalise/index.ts'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import { createFrameMapper } from '../../../../../src/service/errors/sourcemaps/symbolicate/map-frame.ts'
import type { OpenTables } from '../../../../../src/service/errors/sourcemaps/symbolicate/open-tables.ts'
import { openMapTable, writeMapTable } from '../../../../../src/service/errors/sourcemaps/table/map-table.ts'

const artifact = { sourcemap_id: 'upload', debug_id: '', release: '1', dist: '', counterpart: '' }
const map = { ...artifact, id: 1, kind: 'map', content: 'map', path: '~/app.js.map' }
const minified = { ...artifact, id: 2, kind: 'minified', content: 'functions', path: '~/app.js' }

/** A mapper over one map, whose only mapping is that of the first column, with functions that cannot be read. */
function mapperOf(
  members: Record<string, unknown>,
  { read = () => {}, now = () => 0 }: { read?: () => void; now?: () => number } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-map-frame-'))
  const file = join(folder, 'map')
  writeMapTable(readSourceMap(JSON.stringify({ version: 3, names: [], mappings: 'AAAA', ...members })), file)
  const table = openMapTable(file)
  onTestFinished(() => {
    table.close()
    rmSync(folder, { recursive: true })
  })
  const damaged = {
    innermost() {
      read()
      throw new Error('is damaged')
    },
    rest() {},
    bytes: 0,
    close() {},
  }
  const source = () => ({ ...damaged, lines: () => [] })
  const tables: OpenTables = { map: () => table, scopes: () => damaged, source, trim() {}, reopen() {}, close() {} }
  return createFrameMapper({ tables, now })
}

function frameAt(colno: number, members: Record<string, unknown> = {}) {
  const frame = { function: 't', filename: 'https://shop.example/app.js', lineno: 1, colno, in_app: true, ...members }
  const payload = { exception: { values: [{ type: 'Error', stacktrace: { frames: [frame] } }] } }
  return normalise(payload, { eventId: 'a'.repeat(32), receivedAt: 0, sizeBytes: 1 }).exceptions[0]!.frames[0]!
}

test('functions that turn out to be damaged when they are read cost the name only', () => {
  const mapper = mapperOf({ sources: ['src/a.ts'], sourcesContent: ['throw 1\n'] })
  const { frame, problem } = mapper.map(frameAt(1), { map, minified }, undefined)
  expect(frame).toMatchObject({ function: 't', filename: 'src/a.ts', lineno: 1, context_line: 'throw 1' })
  expect(problem?.reason).toContain('the stored minified file cannot be read')
})

test('damaged functions are looked at again every two seconds, and not for every frame', () => {
  let reads = 0
  let now = 0
  const read = () => {
    reads += 1
  }
  const mapper = mapperOf({ sources: ['src/a.ts'] }, { read, now: () => now })
  const map20Times = () => {
    for (let at = 0; at < 20; at += 1) mapper.map(frameAt(1), { map, minified }, undefined)
    return reads
  }
  expect(map20Times()).toBe(1)
  now = 2_000
  expect(map20Times()).toBe(2)
})

test('of a long source line the part around the column is shown, within the limit of a context line', () => {
  const line = Array.from({ length: 1_000 }, (_, index) => `🙂${String(index).padStart(4, '0')}`).join('')
  for (const column of [0, 100, 600, 2_999, 3_000, 4_500, 5_990]) {
    // One mapping, to that column of the first line.
    const mappings = `AAA${vlq(column)}`
    const mapper = mapperOf({ sources: ['a.ts'], sourcesContent: [`${line}\n${line}\n`], mappings })
    const { frame } = mapper.map(frameAt(1), { map, minified: undefined }, undefined)
    const { context_line: shown, post_context: after } = frame!
    expect(shown.length).toBeLessThanOrEqual(1_024)
    expect(shown.isWellFormed()).toBe(true)
    const parts = shown.split('{snip}').map((part) => part.trim())
    expect(parts.every((part) => line.includes(part))).toBe(true)
    expect(shown).toContain(line.slice(column + 1, column + 9))
    expect(after).toEqual([expect.stringMatching(/^🙂0000🙂0001.{800,} \{snip\}$/u)])
  }
})

test('a frame without a column on a line that the map does not know is outside of it', () => {
  const mapper = mapperOf({ sources: ['a.ts'] })
  const problemAt = (lineno: number, colno: number) =>
    mapper.map(frameAt(colno, { lineno }), { map, minified: undefined }, undefined).problem?.reason
  expect(problemAt(2, 0)).toContain('no mapping at this position')
  expect(problemAt(2, 9)).toContain('no mapping at this position')
})

test('a position without a source is said to be of the bundler', () => {
  const mapper = mapperOf({ sources: ['a.ts'], mappings: 'A' })
  expect(mapper.map(frameAt(1), { map, minified: undefined }, undefined).problem?.reason).toContain('names no source')
})

function vlq(value: number): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  let rest = value * 2
  let text = ''
  do {
    const digit = rest % 32
    rest = Math.floor(rest / 32)
    text += digits[rest > 0 ? digit + 32 : digit]
  } while (rest > 0)
  return text
}
