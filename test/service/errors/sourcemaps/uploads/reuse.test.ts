import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../../../../app.ts'
import { artifactsOf, create, debugId, otherDebugId, send, confirm, sha256Of, tinyMap, upload, zipOf } from './rig.ts'

const map = tinyMap({ debugId })
const first = { file_name: 'assets/app.js.map', release: '1', sha256: sha256Of(map) }

test('bytes that the product has are not sent again, and serve the other build as well', async () => {
  await using app = await startApp()
  const { body: known } = await upload(app, first, map)
  const { body } = await create(app, { ...first, release: '2', dist: 'web', url_prefix: 'https://cdn.example/' })
  expect(body.upload_url).toBe('')
  expect(body.sourcemap).toMatchObject({
    state: 'SOURCEMAP_STATE_READY',
    release: '2',
    dist: 'web',
    release_known: true,
    size_bytes: map.length,
    files: [{ path: 'https://cdn.example/assets/app.js.map', debug_id: debugId, valid: true }],
  })
  expect(body.sourcemap.id).not.toBe(known.sourcemap.id)
  const [original] = await artifactsOf(app, known.sourcemap.id)
  expect(await artifactsOf(app, body.sourcemap.id)).toEqual([
    {
      ...original,
      release: '2',
      dist: 'web',
      path: 'https://cdn.example/assets/app.js.map',
      counterpart: 'https://cdn.example/assets/app.js',
    },
  ])
  const again = await confirm(app, body.sourcemap.id)
  expect(again).toMatchObject({ status: 200, body: { sourcemap: { state: 'SOURCEMAP_STATE_READY' } } })
})

test('asking for what is there already answers that upload, and adds none', async () => {
  await using app = await startApp()
  const { body: known } = await upload(app, first, map)
  await create(app, { ...first, release: '2' })
  const { body } = await create(app, first)
  expect(body).toMatchObject({ sourcemap: known.sourcemap, upload_url: '' })
  expect(await app.db.read.selectFrom('sourcemap').select('id').execute()).toHaveLength(2)
})

test('a dry run says that the bytes are there, and indexes nothing', async () => {
  await using app = await startApp()
  await upload(app, first, map)
  const { body } = await create(app, { ...first, release: '2', validate_only: true })
  expect(body).toMatchObject({ sourcemap: { state: 'SOURCEMAP_STATE_READY' }, upload_url: '' })
  expect(await app.db.read.selectFrom('sourcemap_artifact').select('id').execute()).toHaveLength(1)
})

test('bytes of another product, and bytes that failed, have to be sent', async () => {
  await using app = await startApp()
  await upload(app, first, map)
  const [workspace] = (await app.api.listWorkspaces({})).workspaces
  const { product } = await app.api.createProduct({ workspace_id: workspace!.id, name: 'Other' })
  const other = await app.request<{ upload_url: string }>('POST', `/v1/products/${product.id}/sourcemaps`, first)
  expect(other.body.upload_url).not.toBe('')

  const broken = { file_name: 'app.js.map', release: '1', sha256: sha256Of('{}') }
  await upload(app, broken, '{}')
  expect((await create(app, broken)).body.upload_url).not.toBe('')
})

test('a bundle without a release has to be sent again for one when a file was left out', async () => {
  await using app = await startApp()
  const zip = await zipOf({ 'a.js.map': map, 'b.js.map': tinyMap() })
  const input = { file_name: 'dist.zip', sha256: sha256Of(zip) }
  await upload(app, input, zip)
  expect((await create(app, input)).body.upload_url).toBe('')
  expect((await create(app, { ...input, release: '1' })).body.upload_url).not.toBe('')
  const { body } = await upload(app, { ...input, release: '1' }, zip)
  expect(await artifactsOf(app, body.sourcemap.id)).toHaveLength(2)
})

test('the same bytes under another name and debug id lead there, and keep the map of their neighbour', async () => {
  await using app = await startApp()
  const code = 'let a=1;a()\n//# sourceMappingURL=maps/app.js.map'
  const input = { file_name: 'assets/app.js', release: '1', sha256: sha256Of(code) }
  await upload(app, input, code)
  const { body } = await create(app, { ...input, file_name: 'static/main.js', debug_id: otherDebugId })
  expect(body.upload_url).toBe('')
  expect(await artifactsOf(app, body.sourcemap.id)).toMatchObject([
    { path: '~/static/main.js', base_name: 'main.js', counterpart: '~/static/maps/app.js.map', debug_id: otherDebugId },
  ])
  // The id was given with that upload: it is not in the file.
  expect((await create(app, { ...input, release: '3', file_name: 'x.js' })).body.upload_url).not.toBe('')
})

test('a file that comes again in another bundle shares its table', async () => {
  await using app = await startApp()
  await upload(app, { file_name: 'one.zip', release: '1' }, await zipOf({ 'a.js.map': map }))
  await upload(app, { file_name: 'two.zip', release: '2' }, await zipOf({ 'b.js.map': map, 'b.js': 'let b = 1' }))
  expect(readdirSync(join(app.dataDir, 'sourcemaps'))).toHaveLength(2)
  const id = await send(app, { file_name: 'app.js.map', release: '3' }, map)
  await confirm(app, id)
  expect(readdirSync(join(app.dataDir, 'sourcemaps'))).toHaveLength(2)
})
