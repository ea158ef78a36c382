import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { createUpload } from '../../src/client/upload.ts'
import { ServiceError } from '../../src/errors.ts'
import type { SurfaceOptions } from '../../src/mcp/define/define.ts'
import { createLocalFiles } from '../../src/mcp/files/local-files.ts'
import { origin } from '../app.ts'
import { connect } from '../mcp/clients.ts'
import { openShop, shown, type Shop } from './shop.ts'
import { losing } from './unread-answers.ts'

let root: string
let shop: Shop
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-upload-')))
  shop = await openShop()
})
afterEach(async () => {
  await shop.close()
  rmSync(root, { recursive: true, force: true })
})

const options: Partial<SurfaceOptions> = { toolsets: ['default', 'sourcemaps'], local: true }

/** An agent on this machine, which may read below the root. */
function connectHere(api: Shop['api'] = shop.api) {
  const upload = createUpload({ baseUrl: origin, send: shop.service.direct })
  return connect(api, { options, local: createLocalFiles([root]), upload })
}

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

const source = 'export function total(cart) {\n  return cart.items.length\n}\n'
const minified = 'function t(a){return a.items.length}\n//# sourceMappingURL=app.js.map\n'
const map = (members: object = {}) =>
  JSON.stringify({
    version: 3,
    file: 'app.js',
    sources: ['../src/cart.js'],
    sourcesContent: [source],
    names: ['total', 'cart', 'items', 'length'],
    // t -> total at 1:16, the body at 2:3, a.items.length at 2:10
    mappings: 'AAAO,SAASA,EAAMC,GACpB,OAAOA,EAAKC,MAAMC,MACpB',
    ...members,
  })

/** A crash of the minified file as a browser reports it. */
function minifiedCrash() {
  const frame = { function: 't', filename: '/assets/app.js', abs_path: 'https://shop.example/assets/app.js' }
  const frames = [{ ...frame, lineno: 1, colno: 23, in_app: true }]
  return {
    platform: 'javascript',
    exception: { values: [{ type: 'TypeError', value: 'a.items is undefined', stacktrace: { frames } }] },
  }
}

test('upload_source_map sends a build folder as one bundle and says what came of it', async () => {
  await shop.crash(5, minifiedCrash())
  write({
    'dist/assets/app.js': minified,
    'dist/assets/app.js.map': map(),
    'dist/assets/old.js': 'old()\n//# sourceMappingURL=../../maps/old.js.map',
    'dist/index.html': '<script src=/assets/app.js></script>',
  })
  symlinkSync(join(root, 'dist/index.html'), join(root, 'dist/link.html'))
  await using agent = await connectHere()
  const called = await agent.call('upload_source_map', { release: 'shop@1.4.0', path: 'dist' })
  expect(shown(called).text).toMatchInlineSnapshot(`
    "Uploaded 1 source map and 2 minified files for release shop@1.4.0; 1 issue symbolicated again.
    product: My product (id 1)
    sourcemap: id=00000000-0000-7000-8000-000000000018, state=ready, release=shop@1.4.0
    sent: maps=1, minified_files=2, bytes=681
    resymbolicated_issues: 1
    maps_not_in_folder (file | map):
    assets/old.js | ../../maps/old.js.map
    not_sent: other_files=1, links=1
    Next:
    - find_error_issues {"product":"1","release":"shop@1.4.0"} (the issues whose frames show original code now)"
  `)
  expect(shown(called).structured).toMatchInlineSnapshot(`
    {
      "answer": "Uploaded 1 source map and 2 minified files for release shop@1.4.0; 1 issue symbolicated again.",
      "data": {
        "maps_not_in_folder": [
          {
            "file": "assets/old.js",
            "map": "../../maps/old.js.map",
          },
        ],
        "not_sent": {
          "links": 1,
          "other_files": 1,
        },
        "resymbolicated_issues": 1,
        "sent": {
          "bytes": 681,
          "maps": 1,
          "minified_files": 2,
        },
        "sourcemap": {
          "id": "00000000-0000-7000-8000-000000000018",
          "release": "shop@1.4.0",
          "state": "ready",
        },
      },
      "next_actions": [
        {
          "args": {
            "product": "1",
            "release": "shop@1.4.0",
          },
          "tool": "find_error_issues",
          "why": "the issues whose frames show original code now",
        },
      ],
      "product": {
        "id": "1",
        "name": "My product",
      },
    }
  `)
  const issue = await agent.call('get_error_issue', { issue: 'APP-1' })
  expect(issue.text).toContain('src/cart.js:2')
})

test('a single map is found by where its minified file is served', async () => {
  await shop.crash(5, minifiedCrash())
  write({ 'build/output.map': map() })
  await using agent = await connectHere()
  const { text } = await agent.call('upload_source_map', {
    release: 'shop@1.4.0',
    path: 'build/output.map',
    minified_url: 'https://shop.example/assets/app.js?v=1',
  })
  expect(text).toContain('Uploaded 1 source map for release shop@1.4.0; 1 issue symbolicated again.')
})

test('a version that nothing uses is named as such, with the one that it probably means', async () => {
  await shop.crash(5, minifiedCrash())
  write({ 'dist/app.js': minified, 'dist/app.js.map': map() })
  await using agent = await connectHere()
  const near = await agent.call('upload_source_map', { release: 'v1.4.0', path: 'dist' })
  expect(near.text).toContain(
    'No release, event or test run has this version so far, so no frame is mapped by it. ' +
      'The version in use is shop@1.4.0: upload again for that one.',
  )
  const none = await agent.call('upload_source_map', { release: '9.9.9', path: 'dist' })
  expect(none.text).toContain('so no frame is mapped by it.')
  expect(none.text).not.toContain('The version in use')
  expect(none.text).toContain('get_workspace_context {"product":"1","include":["releases"]}')
  // The upload itself was a success, so a list that cannot be read is no failure.
  const down = () => Promise.reject(new ServiceError('unavailable', 'x'))
  await using blind = await connectHere({ ...shop.api, listReleases: down })
  const { isError, text } = await blind.call('upload_source_map', { release: '8.8.8', path: 'dist' })
  expect([isError, text.includes('so far')]).toEqual([false, false])
})

test('the same bytes are not sent a second time', async () => {
  write({ 'dist/app.js': minified, 'dist/app.js.map': map() })
  await using agent = await connectHere()
  await agent.call('upload_source_map', { release: 'shop@1.4.0', path: 'dist' })
  const { text } = await agent.call('upload_source_map', { release: 'shop@1.5.0', path: 'dist' })
  expect(text).toContain(
    'Nothing was sent: the service has these bytes (1 source map and 1 minified file) and uses them for release shop@1.5.0 too.',
  )
  expect(text).toContain('same_bytes_known=true')
})

test.each([
  ['/etc', 'the path is outside the allowed folder (permission_denied'],
  ['dist/none.map', 'there is no such file or folder (not_found'],
  ['dist/index.html', 'the file is neither a source map nor JavaScript (invalid_argument'],
  ['dist', 'no source map is below the folder, which holds 1 JavaScript and 2 other files (invalid_argument'],
])('of %s nothing is uploaded, and the error says why', async (path, words) => {
  write({ 'dist/app.js': minified, 'dist/index.html': '', 'dist/app.css.map': '{}' })
  await using agent = await connectHere()
  const { text, isError } = await agent.call('upload_source_map', { release: 'shop@1.4.0', path })
  expect(isError).toBe(true)
  expect(text).toContain(words)
})

test('a map that is none is refused, and an answer that names the broken rule is told', async () => {
  write({ 'app.js.map': map({ mappings: 'AAAA,!' }) })
  await using agent = await connectHere()
  const args = { release: 'shop@1.4.0', path: 'app.js.map' }
  const { text, isError } = await agent.call('upload_source_map', args)
  expect(isError).toBe(true)
  expect(text).toContain('the service cannot use the source map "app.js.map"')
  const metadata = { rule: 'vlq-character' }
  const refusal = new ServiceError('invalid_argument', 'x', { reason: 'INVALID_SOURCE_MAP', metadata })
  await using told = await connectHere({ ...shop.api, confirmSourceMap: () => Promise.reject(refusal) })
  expect((await told.call('upload_source_map', args)).text).toMatchInlineSnapshot(`
    "error: the service cannot use the source map "app.js.map": it breaks the rule vlq-character of ECMA-426 (invalid_argument)
    next: build the source maps again, then upload them."
  `)
})

test('a folder with nothing but broken maps says how many, and which rule the first breaks', async () => {
  write({ 'dist/a.js.map': map({ mappings: 'AAAA,!' }), 'dist/b.js.map': map({ mappings: 'AAAA,!' }) })
  await using agent = await connectHere()
  const { text } = await agent.call('upload_source_map', { release: 'shop@1.4.0', path: 'dist' })
  expect(text).toContain('the service cannot use any of the 2 source maps: the first breaks the rule vlq-character of')
})

test('a usable bundle with a broken map in it says which one', async () => {
  write({ 'dist/app.js.map': map(), 'dist/bad.js.map': map({ version: 2 }) })
  await using agent = await connectHere()
  const { structured } = await agent.call('upload_source_map', { release: 'shop@1.4.0', path: 'dist' })
  expect(structured).toMatchObject({
    data: { sourcemap: { state: 'ready' }, warnings: [{ path: '~/bad.js.map', valid: false }] },
  })
})

test('a deployment that finds nothing usable afterwards is told with its own words', async () => {
  write({ 'app.js.map': map() })
  const confirmSourceMap: Shop['api']['confirmSourceMap'] = ({ id }) =>
    Promise.resolve({
      sourcemap: { id, state: 'SOURCEMAP_STATE_FAILED', error: { code: 'X', message: 'the map has no sources' } },
      resymbolicated_issues: 0,
      limits_warning: undefined,
    })
  await using agent = await connectHere({ ...shop.api, confirmSourceMap })
  const { text } = await agent.call('upload_source_map', { release: 'shop@1.4.0', path: 'app.js.map' })
  // It does not say that it knows the release: then only an event may have named it.
  expect(text).toMatch(/^The upload for the release is not usable: failed\.\n/)
  expect(text).toContain('error: the map has no sources')
})

test('a state that is not known is said as it is, and one that is not stated is not invented', async () => {
  write({ 'app.js.map': map() })
  const args = { release: 'shop@1.4.0', path: 'app.js.map' }
  for (const [state, words] of [
    ['SOURCEMAP_STATE_SHINY', 'shiny'],
    ['SOURCEMAP_STATE_PROCESSING', 'processing'],
    [undefined, 'not stated'],
  ] as const) {
    const answer = { resymbolicated_issues: undefined, limits_warning: undefined }
    const confirmSourceMap: Shop['api']['confirmSourceMap'] = ({ id }) =>
      // The reader keeps values that the contract does not have.
      Promise.resolve({ sourcemap: { id, ...(state && { state: state as 'SOURCEMAP_STATE_READY' }) }, ...answer })
    const createSourceMap: Shop['api']['createSourceMap'] = async (request, call) => ({
      ...(await shop.api.createSourceMap(request, call)),
      upload_headers: undefined,
    })
    await using agent = await connectHere({ ...shop.api, createSourceMap, confirmSourceMap })
    const { text } = await agent.call('upload_source_map', args)
    expect(text).toContain(`The upload for the release was confirmed; its state: ${words}.`)
  }
})

test('each step that fails says whether the upload may be repeated', async () => {
  write({ 'app.js.map': map() })
  const args = { release: 'shop@1.4.0', path: 'app.js.map' }
  const said = async (isStep: (method: string, path: string) => boolean, loss: string) => {
    const send = losing(shop.service.direct, loss, isStep)
    const api = createApi({ send, baseUrl: origin, token: shop.token, sleep: () => Promise.resolve() })
    await using agent = await connectHere(api)
    return (await agent.call('upload_source_map', args)).text
  }
  const create = (_: string, path: string) => path.endsWith('/sourcemaps')
  expect(await said(create, '502')).toMatch(
    /outcome_unknown.*\nnext: upload it again: what was not confirmed is not used/,
  )
  const confirm = (_: string, path: string) => path.endsWith(':confirm')
  expect(await said(confirm, 'htmlWrites')).toMatch(
    /^error: the files were sent; whether they are used is unknown: .*\(outcome_unknown.*\nnext: check whether frames/,
  )
  expect(await said(create, 'noPage:createSourceMap')).toContain('does not offer source-map uploads (feature_disabled')
})

test('whoever asked for progress hears it grow', async () => {
  write({ 'dist/app.js': minified, 'dist/app.js.map': map() })
  await using agent = await connectHere()
  const heard: number[] = []
  // The client of this era, not the older one.
  const client = agent.client as Client
  await client.callTool(
    { name: 'upload_source_map', arguments: { release: 'shop@1.4.0', path: 'dist' } },
    { onprogress: ({ progress }) => heard.push(progress) },
  )
  expect(heard.at(-1)).toBe(90)
  expect(heard).toEqual([...new Set(heard)].toSorted((one, other) => one - other))
})

test('where the caller is not on this machine the tool is not offered', async () => {
  await using agent = await connect(shop.api, { options: { toolsets: ['all'] } })
  expect((await agent.list()).map(({ name }) => name)).not.toContain('upload_source_map')
  await using reader = await connect(shop.api, { options: { ...options, readOnly: true } })
  expect((await reader.list()).map(({ name }) => name)).not.toContain('upload_source_map')
  await using blind = await connect(shop.api, { options })
  const { text } = await blind.call('upload_source_map', { release: 'shop@1.4.0', path: 'dist' })
  expect(text).toContain('files of this machine can be read over stdio only (feature_disabled')
})
