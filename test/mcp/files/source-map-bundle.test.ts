import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { createLocalFiles } from '../../../src/mcp/files/local-files.ts'
import { prepareBundle, type PrepareOptions } from '../../../src/mcp/files/source-map-bundle.ts'

let base: string
const before = { TMPDIR: process.env['TMPDIR'], TZ: process.env['TZ'] }
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-bundle-')))
  // So that what is left behind can be seen.
  process.env['TMPDIR'] = join(base, 'tmp')
  mkdirSync(join(base, 'tmp'))
})
afterEach(() => {
  Object.assign(process.env, before)
  for (const [name, value] of Object.entries(before)) if (value === undefined) delete process.env[name]
  rmSync(base, { recursive: true, force: true })
})

function writeFolder(name: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, name, path)), { recursive: true })
    writeFileSync(join(base, name, path), text)
  }
  return join(base, name)
}

async function bundle(folder: string, options: Partial<PrepareOptions> = {}) {
  const files = createLocalFiles([base])
  const listed = await files.list(folder, { maxFiles: 100 })
  return prepareBundle(listed.files, { files, signal: new AbortController().signal, onRead: () => {}, ...options })
}

const build = {
  'app.js': 'a()\n//# sourceMappingURL=app.js.map\n',
  'app.js.map': '{"version":3}',
  'chunks/b.mjs': `${'b();'.repeat(100_000)}\n//# sourceMappingURL=b.mjs.map?v=1`,
  'chunks/b.mjs.map': '{"version":3,"names":[]}',
}

test('a bundle contains every file at its path, with the stated size and checksum', async () => {
  await using prepared = await bundle(writeFolder('dist', build))
  const bytes = await buffer(Readable.from(prepared.chunks()))
  expect(bytes.byteLength).toBe(prepared.sizeBytes)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(prepared.sha256)
  expect(await contents(bytes)).toEqual(build)
  expect(prepared.unmatched).toEqual([])
})

test('the same files are the same bytes, in another folder, at another time and in another time zone', async () => {
  process.env['TZ'] = 'Pacific/Kiritimati'
  await using first = await bundle(writeFolder('one', build))
  process.env['TZ'] = 'America/Los_Angeles'
  const folder = writeFolder('two', build)
  utimesSync(join(folder, 'app.js'), 1_000_000_000, 1_000_000_000)
  await using second = await bundle(folder)
  expect(second.sha256).toBe(first.sha256)
  await using other = await bundle(writeFolder('three', { ...build, 'app.js': 'b()' }))
  expect(other.sha256).not.toBe(first.sha256)
})

test('a comment that names a map outside the folder is reported, in every spelling', async () => {
  const folder = writeFolder('dist', {
    'a.js': '//# sourceMappingURL=../maps/a.js.map',
    'b.js': '//# sourceMappingURL=https://cdn.example/maps/b.js.map',
    'c.js': '//# sourceMappingURL=/static/c.js.map#x',
    'c.js.map': '{}',
    'd.js': '//# sourceMappingURL=data:application/json;base64,e30=',
    'e.js': '//@ sourceMappingURL=old.map\n//# sourceMappingURL=e%20e.map\n',
    'e e.map': '{}',
    'f.js': '//# sourceMappingURL=100%.map',
    'g.js': 'no comment',
  })
  await using prepared = await bundle(folder)
  expect(prepared.unmatched).toEqual([
    { file: 'a.js', map: '../maps/a.js.map' },
    { file: 'b.js', map: 'https://cdn.example/maps/b.js.map' },
    { file: 'f.js', map: '100%.map' },
  ])
})

test('progress ends at the size of the files', async () => {
  const heard: number[] = []
  await using _ = await bundle(writeFolder('dist', build), { onRead: (bytes) => heard.push(bytes) })
  expect(heard).toEqual(heard.toSorted((one, other) => one - other))
  expect(heard.at(-1)).toBe(Object.values(build).reduce((sum, text) => sum + text.length, 0))
})

test('disposing leaves nothing behind, nor does a bundle that fails', async () => {
  const folder = writeFolder('dist', build)
  const left = () => readdirSync(join(base, 'tmp'))
  {
    await using _ = await bundle(folder)
    expect(left()).toHaveLength(1)
  }
  expect(left()).toEqual([])
  await expect(
    bundle(folder, { onRead: () => rmSync(join(folder, 'chunks/b.mjs'), { force: true }) }),
  ).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(left()).toEqual([])
  const cancel = new AbortController()
  const onRead = () => cancel.abort()
  await expect(bundle(writeFolder('again', build), { signal: cancel.signal, onRead })).rejects.toThrow(/abort/)
  expect(left()).toEqual([])
})

async function contents(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(bytes)
  const files: Record<string, string> = {}
  for await (const entry of zip.eachEntry()) {
    files[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString()
  }
  return files
}
