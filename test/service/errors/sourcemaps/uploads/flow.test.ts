import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMapTable } from '../../../../../src/service/errors/sourcemaps/table/map-table.ts'
import { openScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/scope-table.ts'
import { usesPostgres } from '../../../../postgres/databases.ts'
import { startApp } from '../../../../app.ts'
import { artifactsOf, confirm, create, debugId, minify, put, send, sha256Of, stateOf, tinyMap, upload } from './rig.ts'

const hourMs = 60 * 60 * 1000

test('a map goes the whole way: created, sent, confirmed, its table on disk and its bytes gone', async () => {
  const now = Date.UTC(2026, 10, 21)
  await using app = await startApp({ platform: { now: () => now } })
  const map = tinyMap({ debugId: debugId.toUpperCase() })
  const created = await create(app, {
    file_name: 'assets/app.js.map',
    release: 'shop@1.4.1',
    environment: 'production',
  })
  expect(created.status).toBe(200)
  const { sourcemap, upload_url: url } = created.body
  expect(created.body).toMatchObject({
    sourcemap: {
      state: 'SOURCEMAP_STATE_PENDING_UPLOAD',
      artifact: 'ARTIFACT_SOURCE_MAP',
      url_prefix: '~/',
      release: 'shop@1.4.1',
      release_known: false,
      environment_known: true,
      files: [],
      error: null,
    },
    upload_method: 'PUT',
    upload_headers: { 'Content-Type': 'application/octet-stream' },
    max_size_bytes: 268_435_456,
    expires_at: new Date(now + hourMs).toISOString(),
  })
  expect(url).toMatch(
    /^http:\/\/127\.0\.0\.1:4319\/uploads\/[\w-]{36}\?expires=\d+&max=268435456&signature=[0-9a-f]{64}$/,
  )

  const sent = await put(app, url, map)
  expect(sent).toMatchObject({ status: 200, headers: { etag: `"${sha256Of(map)}"` }, body: undefined })
  // On PostgreSQL the bytes are in the database (decision 096).
  const waiting = statSync(join(app.dataDir, 'uploads', sourcemap.id), { throwIfNoEntry: false })
  expect(waiting && waiting.mode & 0o777).toBe(usesPostgres() ? undefined : 0o600)
  expect(await stateOf(app, sourcemap.id)).toBe('SOURCEMAP_STATE_UPLOADED')

  const confirmed = await confirm(app, sourcemap.id, { sha256: sha256Of(map), size_bytes: map.length })
  expect(confirmed.status).toBe(200)
  expect(confirmed.body).toMatchObject({
    resymbolicated_issues: 0,
    sourcemap: {
      state: 'SOURCEMAP_STATE_READY',
      release_known: true,
      sha256: sha256Of(map),
      size_bytes: map.length,
      confirmed_at: new Date(now).toISOString(),
      expires_at: null,
      files: [
        {
          path: '~/assets/app.js.map',
          kind: 'source_map',
          debug_id: debugId,
          sources: 1,
          has_sources_content: true,
          sections: 0,
          valid: true,
          warnings: [],
        },
      ],
    },
  })
  const [artifact, ...others] = await artifactsOf(app, sourcemap.id)
  expect(others).toEqual([])
  expect(artifact).toMatchObject({
    kind: 'map',
    debug_id: debugId,
    release: 'shop@1.4.1',
    path: '~/assets/app.js.map',
    base_name: 'app.js.map',
    counterpart: '~/assets/app.js',
  })
  const table = openMapTable(join(app.dataDir, 'sourcemaps', artifact?.content ?? ''))
  expect(table.sources.map(({ name }) => name)).toEqual(['src/a.ts'])
  table.close()
  expect(readdirSync(join(app.dataDir, 'uploads'))).toEqual([])
  expect(await app.db.read.selectFrom('sourcemap_source').select('path').execute()).toEqual([{ path: 'src/a.ts' }])
})

test('a minified file and its map, uploaded one by one, have tables of functions and mappings', async () => {
  await using app = await startApp()
  const { code, map } = await minify()
  const input = { release: 'shop@1.4.1', url_prefix: 'https://shop.example/assets' }
  const minified = await upload(
    app,
    { ...input, file_name: 'app.js' },
    `${code}//# sourceMappingURL=../maps/app.js.map?v=1\n//# debugId=${debugId.replaceAll('-', '')}\n`,
  )
  expect(minified.body.sourcemap.files).toMatchObject([{ kind: 'minified_source', debug_id: debugId, valid: true }])
  const [found] = await artifactsOf(app, minified.body.sourcemap.id)
  expect(found).toMatchObject({
    kind: 'minified',
    path: 'https://shop.example/assets/app.js',
    counterpart: 'https://shop.example/maps/app.js.map',
    debug_id: debugId,
  })
  const scopes = openScopeTable(join(app.dataDir, 'sourcemaps', found?.content ?? ''))
  expect(scopes.innermost(0, code.indexOf('throw'))).toBeDefined()
  scopes.close()
  const mapped = await upload(app, { ...input, file_name: 'app.js.map' }, map)
  expect(mapped.body.sourcemap.files).toMatchObject([{ kind: 'source_map', sources: 1, valid: true }])
})

test('a map inside its minified file is found as one beside it, with the debug id of the file', async () => {
  await using app = await startApp()
  const { code, map } = await minify()
  const inline = `data:application/json;charset=utf-8;base64,${Buffer.from(map).toString('base64')}`
  const { body } = await upload(
    app,
    { file_name: 'app.mjs' },
    `${code}//# sourceMappingURL=${inline}\n//# debugId=${debugId}`,
  )
  expect(body.sourcemap.files).toMatchObject([
    { path: '~/app.mjs', kind: 'minified_source', debug_id: debugId },
    { path: '~/app.mjs.map', kind: 'source_map', debug_id: debugId, valid: true },
  ])
  expect(await artifactsOf(app, body.sourcemap.id)).toMatchObject([
    { kind: 'minified', counterpart: '~/app.mjs.map', debug_id: debugId },
    { kind: 'map', path: '~/app.mjs.map', debug_id: debugId },
  ])
})

test('the debug id of the request goes before the one in the file, and the report says so', async () => {
  await using app = await startApp()
  const { body } = await upload(
    app,
    { file_name: 'app.js.map', debug_id: debugId.replaceAll('-', '').toUpperCase() },
    tinyMap({ debug_id: '00000000-1111-4222-8333-444444444444' }),
  )
  expect(body.sourcemap.debug_id).toBe(debugId)
  expect(body.sourcemap.files[0]).toMatchObject({
    debug_id: debugId,
    warnings: ['Its own debug id 00000000-1111-4222-8333-444444444444 is not used: another was given.'],
  })
})

test('confirming twice at once does the work once, and again later answers the same', async () => {
  await using app = await startApp()
  const id = await send(app, { file_name: 'app.js.map', release: '1' }, tinyMap())
  const answers = await Promise.all([confirm(app, id), confirm(app, id), confirm(app, id)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers[1].body).toEqual(answers[0].body)
  expect((await confirm(app, id)).body).toEqual(answers[0].body)
  expect(await artifactsOf(app, id)).toHaveLength(1)
  const audited = await app.db.read.selectFrom('audit').select('verb').where('resource_id', '=', id).execute()
  expect(audited).toEqual([{ verb: 'create' }, { verb: 'update' }])
})

test('sending again before the confirm replaces the bytes, after it is refused', async () => {
  await using app = await startApp()
  const { body } = await create(app, { file_name: 'app.js.map', release: '1' })
  await put(app, body.upload_url, '{"version":2}')
  await put(app, body.upload_url, tinyMap())
  const { id } = body.sourcemap
  expect((await confirm(app, id)).body.sourcemap).toMatchObject({ sha256: sha256Of(tinyMap()) })
  const late = await put(app, body.upload_url, tinyMap())
  expect(late).toMatchObject({ status: 409, body: { details: [{ reason: 'UPLOAD_CLOSED' }] } })
  expect(existsSync(join(app.dataDir, 'uploads', id))).toBe(false)
})

test('a release that only events made is known once a map that was uploaded names it', async () => {
  await using app = await startApp()
  await app.ingest({ release: 'shop@1.4.1', environment: 'production' })
  const known = async () => (await app.api.listReleases({ product_id: app.productId })).releases[0]?.known
  expect(await known()).toBe(false)
  const id = await send(app, { file_name: 'app.js.map', release: 'shop@1.4.1' }, tinyMap())
  expect(await known()).toBe(false)
  await confirm(app, id)
  expect(await known()).toBe(true)
})

test('a map that names a release vouches for no branch and commit that a run of tests gave it', async () => {
  await using app = await startApp()
  await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, {
    draft: { cases: [{ file_path: 'a.test.ts', suite_path: [], name: 'adds up', status: 'passed' }] },
    run: { release: 'shop@1.4.1', git_branch: 'feature', commit_sha: 'fea' },
  })
  await confirm(app, await send(app, { file_name: 'app.js.map', release: 'shop@1.4.1' }, tinyMap()))
  const { body } = await app.request<{ releases: object[] }>('GET', `/v1/products/${app.productId}/releases`)
  expect(body.releases).toMatchObject([{ known: true, git_branch: '', commit_sha: '' }])
})

test('a dry run checks and answers like the real one, and leaves nothing', async () => {
  await using app = await startApp()
  const { body, headers } = await create(app, { file_name: 'app.js.map', release: '1', validate_only: true })
  expect(headers['x-svc-validate-only']).toBe('true')
  expect(body.sourcemap.state).toBe('SOURCEMAP_STATE_PENDING_UPLOAD')
  expect(await put(app, body.upload_url, tinyMap())).toMatchObject({ status: 404 })
  expect(await app.db.read.selectFrom('sourcemap').select('id').execute()).toEqual([])
})
