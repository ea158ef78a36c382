import { beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../../../../app.ts'
import { debugId, upload } from '../uploads/rig.ts'
import { bundle, crash, eventOf, latestEvent, sources, uploadBuild, type Built } from './shop.ts'

const address = 'https://shop.example/assets/app.js'
let built: Built
let thrown: ReturnType<typeof crash>

beforeAll(async () => {
  const { code, map } = await bundle('dist/assets/app.js')
  const { sourcesContent: _, ...bare } = JSON.parse(map) as Record<string, unknown>
  built = { code, map: JSON.stringify(bare) }
  thrown = crash(code, address)
})

const build = () => ({ 'assets/app.js': built.code, 'assets/app.js.map': built.map })

/** Uploads one source as an artifact of its own. */
const giveSource = (app: App, path: string, members: Record<string, unknown> = {}) =>
  upload(app, { file_name: path, artifact: 'source', release: 'shop@1.4.1', ...members }, sources[path]!)

/** The line that crashed, and why others may be missing. */
async function read(app: App): Promise<{ line: string | undefined; reasons: string[] }> {
  const { exceptions, symbolication } = await latestEvent(app)
  const line = exceptions[0]!.frames.at(-1)?.context_line
  return { line, reasons: symbolication.problems.map(({ reason }) => reason) }
}

const refuse = "  throw new RangeError('too dear: ' + price + ' ' + currency)"
const noText = 'the source map does not hold the source text'

test('sources of a bundle are shown, as the manifest of sentry-cli lists them', async () => {
  await using app = await startApp()
  const listed = Object.keys(sources).map((path) => [`files/_/_/${path}`, { type: 'source', url: `~/${path}` }])
  const manifest = {
    files: Object.fromEntries([
      ['files/_/_/app.js', { type: 'minified_source', url: '~/assets/app.js', headers: { Sourcemap: 'app.js.map' } }],
      ['files/_/_/app.js.map', { type: 'source_map', url: '~/assets/app.js.map' }],
      ...listed,
    ]) as unknown,
  }
  await uploadBuild(app, {
    'manifest.json': JSON.stringify(manifest),
    'files/_/_/app.js': built.code,
    'files/_/_/app.js.map': built.map,
    ...Object.fromEntries(Object.entries(sources).map(([path, text]) => [`files/_/_/${path}`, text])),
  })
  await app.ingest(eventOf(thrown))
  expect(await read(app)).toEqual({ line: refuse, reasons: [] })
  const frame = (await latestEvent(app)).exceptions[0]!.frames.at(-1)!
  expect(frame.pre_context.at(-1)).toBe('function refuse(currency: string, price: number): never {')
  expect(frame.post_context).toEqual(['}'])
})

test('files of any kind are taken from a bundle when a map names them without their text', async () => {
  await using app = await startApp()
  await uploadBuild(app, { ...build(), ...sources, 'src/unused.ts': 'x' })
  await app.ingest(eventOf(thrown))
  expect(await read(app)).toEqual({ line: refuse, reasons: [] })
})

test('a source that is uploaded later is shown too, in its release only', async () => {
  await using app = await startApp()
  await uploadBuild(app, build())
  await app.ingest(eventOf(thrown))
  expect(await read(app)).toMatchObject({ line: '', reasons: expect.arrayContaining([noText]) as unknown })
  await giveSource(app, 'src/cart/cart.ts', { release: 'shop@1.4.0' })
  expect((await read(app)).line).toBe('')
  await giveSource(app, 'src/cart/cart.ts')
  expect((await read(app)).line).toBe(refuse)
  // Those of the other files are still missing.
  expect((await read(app)).reasons).toContain(noText)
})

test('a map that is found by its debug id looks into its own upload, without a release', async () => {
  await using app = await startApp()
  const code = `${built.code}//# debugId=${debugId}\n`
  const map = JSON.stringify({ ...(JSON.parse(built.map) as object), debugId })
  await uploadBuild(app, { 'assets/app.js': code, 'assets/app.js.map': map, ...sources }, {})
  const images = [{ type: 'sourcemap', code_file: address, debug_id: debugId }]
  await app.ingest(eventOf(thrown, { release: undefined, debug_meta: { images } }))
  expect((await read(app)).line).toBe(refuse)
})

test('an upload of sources alone is listed with its files, and maps no frame by itself', async () => {
  await using app = await startApp()
  const { status, body } = await giveSource(app, 'src/cart/cart.ts')
  expect(status).toBe(200)
  expect(body.sourcemap.files).toMatchObject([
    { path: '~/src/cart/cart.ts', kind: 'source', valid: true, warnings: [] },
  ])
  const frame = { function: 'a', filename: 'https://shop.example/src/cart/cart.ts', lineno: 2, colno: 1, in_app: true }
  await app.ingest(eventOf({ type: 'Error', value: 'no', frames: [frame] }))
  expect((await latestEvent(app)).symbolication.frames_mapped).toBe(0)
})
