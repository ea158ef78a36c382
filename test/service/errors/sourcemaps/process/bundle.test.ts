import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../../../app.ts'
import { artifactsOf, debugId, minify, otherDebugId, tinyMap, upload, zipOf, type Refusal } from '../uploads/rig.ts'

const release = 'shop@1.4.1'
const bundle = { file_name: 'dist.zip', release }

test('a bundle of a build is indexed file by file; what is no script and no map is passed over', async () => {
  await using app = await startApp()
  const { code, map } = await minify()
  const zip = await zipOf({
    'index.html': '<script src="assets/app.js"></script>',
    'assets/app.js': `${code}//# sourceMappingURL=app.js.map\n`,
    'assets/app.js.map': map,
    'assets/[id].js': `let a=1;a()\n//# sourceMappingURL=%5Bid%5D.js.map`,
    'assets/[id].js.map': tinyMap(),
  })
  const { status, body } = await upload(app, { ...bundle, url_prefix: '~/static/' }, zip)
  expect(status).toBe(200)
  expect(body.sourcemap).toMatchObject({ artifact: 'ARTIFACT_BUNDLE', state: 'SOURCEMAP_STATE_READY' })
  expect(body.sourcemap.files.map(({ path, kind, valid }) => [path, kind, valid])).toEqual([
    ['~/static/assets/app.js', 'minified_source', true],
    ['~/static/assets/app.js.map', 'source_map', true],
    ['~/static/assets/[id].js', 'minified_source', true],
    ['~/static/assets/[id].js.map', 'source_map', true],
  ])
  expect((await artifactsOf(app, body.sourcemap.id)).map(({ path, counterpart }) => [path, counterpart])).toEqual([
    ['~/static/assets/app.js', '~/static/assets/app.js.map'],
    ['~/static/assets/app.js.map', '~/static/assets/app.js'],
    ['~/static/assets/[id].js', '~/static/assets/[id].js.map'],
    ['~/static/assets/[id].js.map', '~/static/assets/[id].js'],
  ])
})

test('what a manifest says of a file goes before its name: address, debug id and map', async () => {
  await using app = await startApp()
  const manifest = {
    files: {
      'files/_/_/app.js': {
        type: 'minified_source',
        url: '~/assets/app.js',
        headers: { 'debug-id': debugId, Sourcemap: 'maps/app.js.map' },
      },
      'files/_/_/app.js.map': { type: 'source_map', url: '~/assets/maps/app.js.map', headers: { 'Debug-Id': debugId } },
      'files/_/_/cart.ts': { type: 'source', url: '~/src/cart.ts' },
    },
  }
  const zip = await zipOf({
    'manifest.json': JSON.stringify(manifest),
    'files/_/_/app.js': 'let a=1;a()',
    'files/_/_/app.js.map': tinyMap(),
    'files/_/_/cart.ts': 'export const cart = []',
  })
  const { body } = await upload(app, { file_name: 'bundle.zip' }, zip)
  expect(body.sourcemap.files.map(({ path, kind }) => [path, kind])).toEqual([
    ['~/assets/app.js', 'minified_source'],
    ['~/assets/maps/app.js.map', 'source_map'],
    ['~/src/cart.ts', 'source'],
  ])
  expect(await artifactsOf(app, body.sourcemap.id)).toMatchObject([
    { path: '~/assets/app.js', debug_id: debugId, counterpart: '~/assets/maps/app.js.map' },
    { path: '~/assets/maps/app.js.map', debug_id: debugId },
    { path: '~/src/cart.ts', kind: 'source' },
  ])
})

test('a map gets the debug id of the file that names it, and the other way round', async () => {
  await using app = await startApp()
  const zip = await zipOf({
    'a.js': `let a=1\n//# sourceMappingURL=maps/a.map\n//# debugId=${debugId}`,
    'maps/a.map': tinyMap(),
    'b.js': 'let b=1',
    'b.js.map': tinyMap({ debugId: otherDebugId }),
  })
  const { body } = await upload(app, { file_name: 'dist.zip' }, zip)
  expect(body.sourcemap.files.map(({ path, debug_id }) => [path, debug_id])).toEqual([
    ['~/a.js', debugId],
    ['~/maps/a.map', debugId],
    ['~/b.js', otherDebugId],
    ['~/b.js.map', otherDebugId],
  ])
})

test('one bad file is named and the others stay usable', async () => {
  await using app = await startApp()
  const zip = await zipOf({
    'good.js.map': tinyMap(),
    'bad.js.map': tinyMap({ version: 2 }),
    'bare.js.map': tinyMap({ sourcesContent: undefined }),
    'bad.js': 'let let let = ',
    'named.js': 'not } javascript\n//# sourceMappingURL=good.js.map',
  })
  const { body } = await upload(app, bundle, zip)
  expect(body.sourcemap.files.map(({ path, valid, warnings }) => ({ path, valid, warnings }))).toMatchInlineSnapshot(`
    [
      {
        "path": "~/good.js.map",
        "valid": true,
        "warnings": [],
      },
      {
        "path": "~/bad.js.map",
        "valid": false,
        "warnings": [
          "version must be the number 3, but is the number 2.",
        ],
      },
      {
        "path": "~/bare.js.map",
        "valid": true,
        "warnings": [
          "It holds no source text (sourcesContent): frames get no context lines.",
        ],
      },
      {
        "path": "~/bad.js",
        "valid": false,
        "warnings": [
          "Functions keep their minified names. The file is not JavaScript: the parser stopped at character 9.",
        ],
      },
      {
        "path": "~/named.js",
        "valid": false,
        "warnings": [
          "Functions keep their minified names. The file is not JavaScript: the parser stopped at character 5.",
        ],
      },
    ]
  `)
  const artifacts = await artifactsOf(app, body.sourcemap.id)
  expect(artifacts.map(({ path, content }) => [path, content !== ''])).toEqual([
    ['~/good.js.map', true],
    ['~/bare.js.map', true],
    ['~/named.js', false],
  ])
})

test('without a release only files with a debug id are indexed', async () => {
  await using app = await startApp()
  const zip = await zipOf({ 'a.js.map': tinyMap({ debugId }), 'b.js.map': tinyMap() })
  const { body } = await upload(app, { file_name: 'dist.zip' }, zip)
  expect(await artifactsOf(app, body.sourcemap.id)).toMatchObject([{ path: '~/a.js.map' }])
  expect(body.sourcemap.files[1]?.warnings).toEqual([
    'No frame finds it: it has no debug id, and the upload names no release.',
  ])
})

test('sources become paths of the repository, without packages and the runtime of the bundler', async () => {
  await using app = await startApp()
  const sources = [
    'webpack://shop/./src/cart/cart.ts',
    'webpack://shop/webpack/bootstrap',
    'webpack://shop/./node_modules/react/index.js',
    '../../src/checkout/pay.ts',
    null,
  ]
  const { body } = await upload(app, { file_name: 'app.js.map', release }, tinyMap({ sources, sourcesContent: [] }))
  const rows = await app.db.read.selectFrom('sourcemap_source').select(['path', 'sourcemap_id']).execute()
  expect(rows).toEqual([
    { path: 'src/cart/cart.ts', sourcemap_id: body.sourcemap.id },
    { path: 'src/checkout/pay.ts', sourcemap_id: body.sourcemap.id },
  ])
})

// What is refused leaves nothing behind.
const shared = startApp()
afterAll(async () => (await shared).close())

const map = tinyMap()
const central = Buffer.from('PK\x01\x02', 'latin1')

/** A zip with a name that no packer writes, of the same length. */
async function renamed(from: string, to: string): Promise<Buffer> {
  const zip = await zipOf({ [from]: map })
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1')
}

/** A zip whose directory says something else of its first entry. */
async function patched(change: (entry: Buffer) => void): Promise<Buffer> {
  const zip = await zipOf({ 'app.js.map': map })
  change(zip.subarray(zip.indexOf(central)))
  return zip
}

const many = () => {
  const names = Array.from({ length: 10_001 }, (_, index) => [`${index}.map`, ''] as const)
  return zipOf(Object.fromEntries(names), { compress: false })
}

test.each<[string, string, () => Promise<Buffer>]>([
  ['names that leave the folder', 'INVALID_ZIP', () => renamed('xx/app.js.map', '../app.js.map')],
  ['absolute names', 'INVALID_ZIP', () => renamed('xapp.js.map', '/app.js.map')],
  ['names with a drive', 'INVALID_ZIP', () => renamed('xxapp.js.map', 'C:app.js.map')],
  ['names with a backslash', 'INVALID_ZIP', () => renamed('a/app.js.map', 'a\\app.js.map')],
  ['names with control characters', 'INVALID_ZIP', () => renamed('axapp.js.map', 'a\u0000app.js.map')],
  ['an encrypted entry', 'INVALID_ZIP', () => patched((entry) => entry.writeUInt16LE(1, 8))],
  ['a zip in the zip', 'INVALID_ZIP', () => zipOf({ 'inner.zip': 'PK', 'app.js.map': map })],
  [
    'two entries of one name',
    'INVALID_ZIP',
    async () => {
      const zip = await zipOf({ 'a.map': map, 'b.map': map })
      return Buffer.from(zip.toString('latin1').replaceAll('b.map', 'a.map'), 'latin1')
    },
  ],
  ['no zip at all', 'INVALID_ZIP', () => Promise.resolve(Buffer.from('this is no zip'))],
  ['a directory that is cut off', 'INVALID_ZIP', () => patched((entry) => entry.writeUInt32LE(0, 0))],
  ['more than 10,000 entries', 'ZIP_LIMIT', many],
  ['a file of zeros', 'ZIP_LIMIT', () => zipOf({ 'app.js.map': map, 'zeros.txt': Buffer.alloc(1_000_000) })],
  ['sizes beyond one gigabyte', 'ZIP_LIMIT', () => patched((entry) => entry.writeUInt32LE(0x7fff_ffff, 24))],
  ['no map and no script', 'NOTHING_INSIDE', () => zipOf({ 'index.html': '' })],
  ['a broken manifest', 'INVALID_MANIFEST', () => zipOf({ 'manifest.json': '{"files": {"a": 1}}', 'a.js.map': map })],
])('a bundle with %s is refused whole, as %s', async (_title, code, bytes) => {
  const app = await shared
  const { status, body } = await upload<Refusal>(app, bundle, await bytes())
  expect(status).toBe(400)
  expect(body.details[0]).toMatchObject({ reason: 'INVALID_SOURCE_MAP', metadata: { error_code: code } })
  expect(await app.db.read.selectFrom('sourcemap_artifact').select('id').execute()).toEqual([])
})

test.each<[string, (zip: Buffer) => void]>([
  ['a smaller size than it has', (zip) => void zip.writeUInt32LE(10, zip.indexOf(central) + 24)],
  ['another checksum', (zip) => void zip.writeUInt32LE(10, zip.indexOf(central) + 16)],
  ['a method that is none', (zip) => void zip.writeUInt16LE(99, zip.indexOf(central) + 10)],
])('a file for which the directory claims %s is not used', async (_title, change) => {
  const app = await shared
  const zip = await zipOf({ 'app.js.map': map.repeat(20), 'other.js.map': map })
  change(zip)
  const { status, body } = await upload(app, bundle, zip)
  expect(status).toBe(200)
  expect(body.sourcemap.files).toMatchObject([{ valid: false, warnings: [expect.any(String)] }, { valid: true }])
})
