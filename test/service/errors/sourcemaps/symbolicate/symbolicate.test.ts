import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../../../../app.ts'
import { upload } from '../uploads/rig.ts'
import {
  bundle,
  crash,
  eventOf,
  issuesOf,
  latestEvent,
  sources,
  uploadBuild,
  type Built,
  type SentFrame,
} from './shop.ts'

const address = 'https://shop.example/assets/app.js'
const release = 'shop@1.4.1'

let built: Built
let thrown: ReturnType<typeof crash>

beforeAll(async () => {
  built = await bundle('dist/assets/app.js')
  thrown = crash(built.code, address)
})

const files = (folder = 'assets/', { code, map }: Built = built) => ({
  [`${folder}app.js`]: code,
  [`${folder}app.js.map`]: map,
})

/** What a reader wants of the newest event's frames: where each is. */
async function placesOf(app: App): Promise<string[]> {
  const { exceptions } = await latestEvent(app)
  return exceptions[0]!.frames.map(({ filename, lineno, colno, ...frame }) =>
    [frame.function, `${filename}:${lineno}:${colno}`].join(' '),
  )
}

/** The reasons of the newest event's problems, each once. */
async function reasonsOf(app: App): Promise<string[]> {
  const { symbolication } = await latestEvent(app)
  return [...new Set(symbolication.problems.map(({ reason }) => reason))]
}

const crashed = [
  '<anonymous> src/main.ts:6:15',
  '<anonymous> src/main.ts:6:1',
  'checkout src/checkout/checkout.ts:6:15',
  'Cart.totalOf src/cart/cart.ts:9:24',
  '<anonymous> src/cart/cart.ts:10:28',
  'refuse src/cart/cart.ts:17:9',
]

test('a frame says where it is in the source, with the lines around it as they were written, and as it was sent', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  await app.ingest(eventOf(thrown))
  const { exceptions, symbolication, symbolication_state } = await latestEvent(app)
  const { frames } = exceptions[0]!
  const lines = sources['src/cart/cart.ts']!.split('\n')
  expect(frames.at(-1)).toMatchObject({
    function: 'refuse',
    raw_function: thrown.frames.at(-1)!.function,
    filename: 'src/cart/cart.ts',
    abs_path: '../../src/cart/cart.ts',
    repo_path: 'src/cart/cart.ts',
    module: 'src/cart/cart',
    lineno: 17,
    colno: 9,
    context_line: lines[16],
    pre_context: lines.slice(11, 16),
    in_app: true,
    symbolicated: true,
    original: { filename: address, abs_path: '', lineno: 1, colno: thrown.frames.at(-1)!.colno },
    grouping_role: 'contributes',
  })
  expect(frames[3]!.post_context).toEqual(lines.slice(9, 14))
  expect(symbolication).toEqual({
    state: 'SYMBOLICATION_STATE_COMPLETE',
    frames_total: 6,
    frames_mapped: 6,
    problems: [],
  })
  expect(symbolication_state).toBe('SYMBOLICATION_STATE_COMPLETE')
  expect(await placesOf(app)).toEqual(crashed)
})

test('functions of the engine are none of the frames that a map could resolve', async () => {
  await using app = await startApp()
  const native = { function: 'encodeURIComponent', filename: '<anonymous>', in_app: true }
  await app.ingest(eventOf({ ...thrown, frames: [...thrown.frames, native] }))
  const { symbolication } = await latestEvent(app)
  expect(symbolication).toMatchObject({ frames_total: 6, frames_mapped: 0 })
})

test('without a map every frame of the minified file says why it is minified', async () => {
  await using app = await startApp()
  await app.ingest(eventOf(thrown))
  const { exceptions, symbolication } = await latestEvent(app)
  expect(exceptions[0]!.frames.map(({ symbolicated, original }) => [symbolicated, original])).toEqual(
    crashed.map(() => [false, null]),
  )
  expect(symbolication).toMatchObject({ state: 'SYMBOLICATION_STATE_MISSING', frames_total: 6, frames_mapped: 0 })
  expect(symbolication.problems.map(({ frame_index, abs_path }) => [frame_index, abs_path])).toEqual(
    crashed.map((_, index) => [index, address]),
  )
  expect(await reasonsOf(app)).toEqual([
    "no source map was uploaded for this event's release: tracegate sourcemaps upload DIR --release R, with R the release of this event",
  ])
})

test.each<[string, Record<string, unknown>, Partial<SentFrame>]>([
  ['the address itself', { url_prefix: 'https://shop.example/' }, {}],
  ['the path of an address', { url_prefix: '~/' }, { abs_path: `${address}?v=3#top` }],
  ['the file name where there is no other path', { url_prefix: '~/' }, { filename: `async ${address}` }],
  ['an encoded address', { url_prefix: '~/[shop]/' }, { abs_path: 'https://shop.example/%5Bshop%5D/assets/app.js' }],
  ['a path of the server', { url_prefix: '/srv/shop/' }, { filename: '/srv/shop/assets/app.js' }],
  ['a path on Windows', { url_prefix: '~/C:/shop/' }, { filename: 'C:\\shop\\assets\\app.js' }],
])('a map is found by %s', async (_, input, path) => {
  await using app = await startApp()
  await uploadBuild(app, files(), { release, ...input })
  // Nearer by its ending, but not the path that the frame names.
  await uploadBuild(app, files('x/assets/', await bundle('x.js', { files: { 'src/main.ts': 'throw 1' } })))
  await app.ingest(eventOf({ ...thrown, frames: thrown.frames.map((frame) => ({ ...frame, ...path })) }))
  expect(await placesOf(app)).toEqual(crashed)
})

test('a map under another folder is found by the end of its path, unless two fit alike', async () => {
  await using app = await startApp()
  await uploadBuild(app, files('dist/public/assets/'))
  await uploadBuild(app, files('dist/other/'))
  await app.ingest(eventOf(thrown))
  expect(await placesOf(app)).toEqual(crashed)

  await uploadBuild(app, files('old/assets/'))
  expect(await reasonsOf(app)).toEqual([expect.stringContaining('several source maps')])
  expect((await latestEvent(app)).symbolication.state).toBe('SYMBOLICATION_STATE_MISSING')
})

test('a file of a package is not taken for one of the team that has its name', async () => {
  await using app = await startApp()
  await uploadBuild(app, files('dist/'))
  const file = '/srv/shop/node_modules/some/dist/app.js'
  await app.ingest(eventOf({ ...thrown, frames: thrown.frames.map((frame) => ({ ...frame, filename: file })) }))
  expect((await latestEvent(app)).symbolication.frames_mapped).toBe(0)
})

test('a release with maps, but none of the file, says how many it has', async () => {
  await using app = await startApp()
  await uploadBuild(app, { 'other.js': built.code, 'other.js.map': built.map })
  await app.ingest(eventOf(thrown))
  expect(await reasonsOf(app)).toEqual([
    expect.stringContaining("this event's release has one source map, but not of this file"),
  ])
})

test('a minified file without the map that it names says so', async () => {
  await using app = await startApp()
  await upload(app, { file_name: 'assets/app.js', release }, built.code)
  await app.ingest(eventOf(thrown))
  expect(await reasonsOf(app)).toEqual([expect.stringContaining('uploaded without the source map that it names')])
})

test('only a map of the same dist or of none is taken, that of the same dist first', async () => {
  await using app = await startApp()
  const other = await bundle('dist/assets/app.js', { files: { ...sources, 'src/main.ts': 'throw 2\n' } })
  await uploadBuild(app, files(), { release, dist: 'web' })
  await app.ingest(eventOf(thrown, { dist: 'android' }))
  expect((await latestEvent(app)).symbolication.frames_mapped).toBe(0)
  await uploadBuild(app, files('assets/', other))
  await app.ingest(eventOf(thrown, { dist: 'web', fingerprint: ['web'] }))
  const [, web] = await issuesOf(app)
  expect((await latestEvent(app, web!.id)).exceptions[0]!.frames.at(-1)).toMatchObject({ function: 'refuse' })
})

test('of two maps of the same path the newer one is taken, also for events that are there', async () => {
  await using app = await startApp()
  const padded = { ...sources, 'src/cart/cart.ts': `// a licence\n${sources['src/cart/cart.ts']!}` }
  const newer = await bundle('dist/assets/app.js', { files: padded })
  expect(newer.code).toBe(built.code)
  await uploadBuild(app, files())
  await app.ingest(eventOf(thrown))
  await uploadBuild(app, files('assets/', newer))
  expect((await placesOf(app)).at(-1)).toBe('refuse src/cart/cart.ts:18:9')
})

const debugId = '0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0'
const withDebugId = (map: string) => JSON.stringify({ ...(JSON.parse(map) as object), debug_id: debugId })

test('the debug id decides before the path, and needs no release', async () => {
  await using app = await startApp()
  const other = await bundle('dist/assets/app.js', { files: { ...sources, 'src/main.ts': 'throw 2\n' } })
  await uploadBuild(app, files('assets/', other))
  const code = `${built.code}//# debugId=${debugId}\n`
  await uploadBuild(app, { 'elsewhere/x.js': code, 'elsewhere/x.js.map': withDebugId(built.map) }, {})
  const images = [{ type: 'sourcemap', code_file: address, debug_id: debugId.toUpperCase() }]
  await app.ingest(eventOf(thrown, { release: undefined, debug_meta: { images } }))
  expect(await placesOf(app)).toEqual(crashed)
  expect((await latestEvent(app)).exceptions[0]!.frames[0]!.debug_id).toBe(debugId)
  await app.ingest(eventOf(thrown, { debug_meta: { images } }))
  expect(await placesOf(app)).toEqual(crashed)
})

test('a debug id that no upload has, and an event without release and debug id, say so', async () => {
  await using app = await startApp()
  const images = [{ type: 'sourcemap', code_file: address, debug_id: debugId }]
  await app.ingest(eventOf(thrown, { release: undefined, debug_meta: { images } }))
  expect(await reasonsOf(app)).toEqual([expect.stringContaining('with the debug id of this file')])
  await app.ingest(eventOf(thrown, { release: undefined, fingerprint: ['no release'] }))
  const [, second] = await issuesOf(app)
  const { symbolication } = await latestEvent(app, second!.id)
  expect(symbolication.problems[0]!.reason).toContain('names no release and this file has no debug id')
})

test('a frame without a column is mapped only where its whole line has one place', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const columnless = thrown.frames.map((frame) => ({ ...frame, colno: undefined }))
  await app.ingest(eventOf({ ...thrown, frames: columnless }))
  expect((await latestEvent(app)).symbolication).toMatchObject({ state: 'SYMBOLICATION_STATE_MISSING' })
  expect(await reasonsOf(app)).toEqual([expect.stringContaining('the frame has no column')])

  const readable = await bundle('dist/assets/app.js', { minify: false })
  await uploadBuild(app, files('assets/', readable), { release: 'shop@readable' })
  const { frames, ...error } = crash(readable.code, address)
  const refused = [{ ...frames.at(-1)!, colno: undefined }]
  await app.ingest(eventOf({ ...error, frames: refused }, { release: 'shop@readable', fingerprint: ['readable'] }))
  const [, issue] = await issuesOf(app)
  expect((await latestEvent(app, issue!.id)).exceptions[0]!.frames[0]).toMatchObject({
    function: 'refuse',
    lineno: 17,
    colno: 0,
    symbolicated: true,
  })
})

test('one frame that cannot be mapped stays as it was sent and leaves its neighbours alone', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const frames = thrown.frames.with(2, { ...thrown.frames[2]!, lineno: 4_000_000_000, function: 'sent' })
  await app.ingest(eventOf({ ...thrown, frames }))
  expect(await placesOf(app)).toEqual(crashed.with(2, `sent ${address}:4000000000:${frames[2]!.colno}`))
  expect((await latestEvent(app)).symbolication).toMatchObject({
    state: 'SYMBOLICATION_STATE_PARTIAL',
    frames_mapped: 5,
    problems: [{ frame_index: 2, reason: expect.stringContaining('no mapping at this position') }],
  })
})

test('a damaged table fails the frames of its file only', async () => {
  await using app = await startApp()
  const other = 'https://shop.example/assets/vendor.js'
  await uploadBuild(app, { ...files(), 'assets/vendor.js': built.code.replace(/\/\/# source.*/, '') })
  await uploadBuild(app, {
    'assets/vendor.js.map': JSON.stringify({ ...(JSON.parse(built.map) as object), file: 'v' }),
  })
  const rows = await app.db.read.selectFrom('sourcemap_artifact').select(['kind', 'path', 'content']).execute()
  const damaged = rows.find(({ path }) => path === '~/assets/vendor.js.map')!.content
  truncateSync(join(app.dataDir, 'sourcemaps', damaged), 100)
  const mixed = thrown.frames.with(5, { ...thrown.frames[5]!, filename: other })
  await app.ingest(eventOf({ ...thrown, frames: mixed }))
  const { symbolication } = await latestEvent(app)
  expect(symbolication).toMatchObject({ state: 'SYMBOLICATION_STATE_PARTIAL', frames_mapped: 5 })
  expect(symbolication.problems).toMatchObject([{ frame_index: 5, reason: expect.stringContaining('cannot be read') }])
})

test('damaged functions cost the names only', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const rows = await app.db.read.selectFrom('sourcemap_artifact').select(['kind', 'content']).execute()
  const functions = join(app.dataDir, 'sourcemaps', rows.find(({ kind }) => kind === 'minified')!.content)
  writeFileSync(functions, readFileSync(functions).fill(0xff))
  await app.ingest(eventOf(thrown))
  const { exceptions, symbolication } = await latestEvent(app)
  expect(exceptions[0]!.frames.at(-1)).toMatchObject({ filename: 'src/cart/cart.ts', lineno: 17 })
  expect(symbolication).toMatchObject({ state: 'SYMBOLICATION_STATE_COMPLETE', frames_mapped: 6 })
  expect((await reasonsOf(app)).join()).toContain('the stored minified file cannot be read')
})

test('with the map alone a frame keeps its minified name where the caller does not tell another', async () => {
  await using app = await startApp()
  await upload(app, { file_name: 'assets/app.js.map', release }, built.map)
  await app.ingest(eventOf(thrown))
  const places = await placesOf(app)
  expect(places.map((place) => place.split(' ')[1])).toEqual(crashed.map((place) => place.split(' ')[1]))
  expect(places[0]).toBe('? src/main.ts:6:15')
  expect(await reasonsOf(app)).toEqual([expect.stringContaining('upload the minified file as well')])
  await upload(app, { file_name: 'assets/app.js', release }, built.code)
  expect(await placesOf(app)).toEqual(crashed)
})

test('a map without the source text gives place and name, and says so', async () => {
  await using app = await startApp()
  const { sourcesContent: _, ...map } = JSON.parse(built.map) as Record<string, unknown>
  await uploadBuild(app, files('assets/', { ...built, map: JSON.stringify(map) }))
  await app.ingest(eventOf(thrown))
  const { exceptions, symbolication } = await latestEvent(app)
  expect(exceptions[0]!.frames.at(-1)).toMatchObject({
    lineno: 17,
    context_line: '',
    pre_context: [],
    post_context: [],
  })
  expect(symbolication.state).toBe('SYMBOLICATION_STATE_COMPLETE')
  expect(await reasonsOf(app)).toContain('the source map does not hold the source text')
})

test('sources of packages and on the ignore list are not in-app', async () => {
  await using app = await startApp()
  const map = JSON.parse(built.map) as { sources: string[] }
  const cart = map.sources.indexOf('../../src/cart/cart.ts')
  const checkout = map.sources.indexOf('../../src/checkout/checkout.ts')
  const renamed = map.sources.with(checkout, '../../node_modules/checkout/checkout.ts')
  const changed = JSON.stringify({ ...map, sources: renamed, ignoreList: [cart] })
  await uploadBuild(app, files('assets/', { ...built, map: changed }))
  await app.ingest(eventOf(thrown))
  const { exceptions } = await latestEvent(app)
  expect(exceptions[0]!.frames.map(({ in_app }) => in_app)).toEqual([true, true, false, false, false, false])
  expect(exceptions[0]!.frames[2]!.repo_path).toBe('')
})

test('a map of sections leads each part of the file to its own sources', async () => {
  await using app = await startApp()
  const first = await bundle('dist/assets/app.js', { files: { 'src/main.ts': 'globalThis.first = () => 1\n' } })
  const offset = first.code.trimEnd().split('\n').length
  const sections = [
    { offset: { line: 0, column: 0 }, map: JSON.parse(first.map) as unknown },
    { offset: { line: offset, column: 0 }, map: JSON.parse(built.map) as unknown },
  ]
  const code = `${first.code.trimEnd()}\n${built.code}`
  const map = JSON.stringify({ version: 3, file: 'app.js', sections })
  await uploadBuild(app, files('assets/', { code, map }))
  await app.ingest(eventOf(crash(code, address)))
  expect(await placesOf(app)).toEqual(crashed)
})

test('frames of Node are found by the end of their path, and those of its own code are no problem', async () => {
  await using app = await startApp()
  await uploadBuild(app, files('server/'))
  const file = '/srv/shop/dist/server/app.js'
  const { frames, ...error } = crash(built.code, file)
  const own = { function: 'Module._compile', filename: 'node:internal/modules/cjs/loader', lineno: 1, colno: 900 }
  await app.ingest(eventOf({ ...error, frames: [own, ...frames] }, { platform: 'node' }))
  expect((await placesOf(app)).slice(1)).toEqual(crashed)
  expect((await latestEvent(app)).symbolication.state).toBe('SYMBOLICATION_STATE_COMPLETE')
})

test('extensions, native code and sources that were never minified are no problem', async () => {
  await using app = await startApp()
  const frame = { function: 'a', lineno: 1, colno: 4_000, in_app: true }
  const paths = ['chrome-extension://abc/app.js', '<anonymous>', '[native code]', 'src/cart/cart.ts', 'app:///cart.tsx']
  const frames = paths.map((filename) => ({ ...frame, filename }))
  await app.ingest(eventOf({ type: 'Error', value: 'x', frames }))
  expect((await latestEvent(app)).symbolication).toMatchObject({
    state: 'SYMBOLICATION_STATE_NOT_NEEDED',
    problems: [],
  })
})

test('threads are read with the maps too', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { frames } = thrown
  const threads = { values: [{ id: 1, current: true, crashed: true, stacktrace: { frames } }] }
  await app.ingest({ platform: 'javascript', release, exception: undefined, threads })
  const event = await latestEvent(app)
  expect(event.threads[0]!.frames.at(-1)).toMatchObject({ function: 'refuse', filename: 'src/cart/cart.ts' })
})

test('of an event with very many files those nearest to the crash are looked up', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const last = thrown.frames.at(-1)!
  const many = Array.from({ length: 120 }, (_, index) => ({
    ...last,
    filename: `https://shop.example/${index}.min.js`,
  }))
  await app.ingest(eventOf({ ...thrown, frames: [...many, last] }))
  const { exceptions, symbolication } = await latestEvent(app)
  expect(exceptions[0]!.frames.at(-1)!.function).toBe('refuse')
  const cut = symbolication.problems.filter(({ reason }) => reason.includes('too many files'))
  expect(cut.map(({ frame_index }) => frame_index)).toEqual(Array.from({ length: 21 }, (_, index) => index))
})

test('what is on disk is what the SDK sent', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  await app.ingest(eventOf(thrown))
  const before = await latestEvent(app)
  for (const name of readdirSync(join(app.dataDir, 'sourcemaps')))
    truncateSync(join(app.dataDir, 'sourcemaps', name), 0)
  await using again = await startApp({ dataDir: app.dataDir })
  const after = await latestEvent(again)
  expect(after.exceptions[0]!.frames.map(({ lineno, colno }) => [lineno, colno])).toEqual(
    thrown.frames.map(({ lineno, colno }) => [lineno, colno]),
  )
  expect(after.symbolication.state).toBe('SYMBOLICATION_STATE_FAILED')
  expect(before.symbolication.state).toBe('SYMBOLICATION_STATE_COMPLETE')
})
