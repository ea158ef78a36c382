import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { afterAll, expect, test } from 'vitest'
import { showProgress } from '../../src/cli/sourcemaps/progress.ts'
import { eventually, type Served } from '../serve.ts'
import { serveHere, temporaryFolder, tracegate } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const build = {
  'app.js': 'function t(a){return a.items.length}\n//# sourceMappingURL=app.js.map\n',
  'app.js.map': JSON.stringify({
    version: 3,
    sources: ['../src/cart.js'],
    sourcesContent: ['export function total(cart) {\n  return cart.items.length\n}\n'],
    names: ['total', 'cart', 'items', 'length'],
    mappings: 'AAAO,SAASA,EAAMC,GACpB,OAAOA,EAAKC,MAAMC,MACpB',
  }),
  'bad.js.map': '{"version":2}',
  'index.html': '',
}

function written(name: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name, path)), { recursive: true })
    writeFileSync(join(folder.path, name, path), text)
  }
  return join(folder.path, name)
}

const upload = (dist: string, ...rest: string[]) => ['sourcemaps', 'upload', dist, '--release', 'shop@1.4.0', ...rest]

test('sourcemaps upload prints the outcome of each file, and its steps on stderr', async () => {
  const dist = written('dist', build)
  const { code, stdout, stderr } = await tracegate(upload(dist, '--data', join(folder.path, 'data')))
  expect(code).toBe(0)
  expect(stdout.replace(dist, 'DIST')).toMatchInlineSnapshot(`
    "Uploaded: DIST (2 source maps, 1 JavaScript file, 1 kB) for release shop@1.4.0 of My product
      ~/app.js
      ~/app.js.map: 1 source
      ~/bad.js.map: not usable
        warning: version must be the number 3, but is the number 2.
      not sent: 1 other file
    no event has used these maps yet
    "
  `)
  expect(stderr).toMatchInlineSnapshot(`
    "reading 1 kB
    sending 1 kB
    indexing
    "
  `)
  const again = await tracegate(upload(dist, '--data', join(folder.path, 'data')))
  expect(again.stdout).toMatch(/^Already uploaded: /)
})

/** Sends a minified crash and gives what its frame reads once the server has the map. */
async function symbolicatedFrame(app: Served): Promise<unknown> {
  const { origin, username: key } = new URL(app.endpoints.dsn)
  const frame = { function: 't', abs_path: 'https://shop.example/app.js', lineno: 1, colno: 23, in_app: true }
  const event = {
    event_id: crypto.randomUUID().replaceAll('-', ''),
    platform: 'javascript',
    release: 'shop@1.4.0',
    exception: { values: [{ type: 'TypeError', value: 'x', stacktrace: { frames: [frame] } }] },
  }
  const path = `/api/${app.endpoints.product_id}/envelope/?sentry_key=${key}`
  const envelope = ['{}', '{"type":"event"}', JSON.stringify(event)].join('\n')
  expect((await fetch(origin + path, { method: 'POST', body: envelope })).status).toBe(200)
  return eventually('the frame in its source', async () => {
    const { issues } = await app.rest<{ issues: { id: string }[] }>(
      'GET',
      `/v1/products/${app.endpoints.product_id}/issues`,
    )
    const { events } = await app.rest<{ events: { id: string }[] }>('GET', `/v1/issues/${issues[0]?.id ?? ''}/events`)
    const { event: read } = await app.rest<{
      event: { exceptions: { frames: { filename: string; lineno: number }[] }[] }
    }>('GET', `/v1/issues/${issues[0]?.id ?? ''}/events/${events[0]?.id ?? ''}`)
    const [first] = read.exceptions[0]?.frames ?? []
    return first?.filename.endsWith('.js') === true && first.lineno === 2
      ? `${first.filename}:${String(first.lineno)}`
      : undefined
  })
}

test('the bundles of React Native are sent with their maps, bytecode is not', async () => {
  const map = build['app.js.map']
  const dist = written('native', {
    'android/index.android.bundle': 'f()\n',
    'android/index.android.bundle.map': map,
    'android/index.android.bundle.hbc': 'x',
    'ios/main.jsbundle': 'f()\n',
    'ios/main.jsbundle.map': map,
  })
  const { code, stdout } = await tracegate(upload(dist, '--data', join(folder.path, 'data')))
  expect(code).toBe(0)
  expect(stdout).toContain('(2 source maps, 2 JavaScript files, 1 kB)')
  expect(stdout).toContain('not sent: 1 other file')
})

test('a server that runs on the same data uses what the command uploaded', async () => {
  await using app = await serveHere()
  const { code } = await tracegate(upload(written('dist', build), '--data', app.dataDir))
  expect(code).toBe(0)
  expect(await symbolicatedFrame(app)).toBe('src/cart.js:2')
})

test('a deployment gets the maps over the network', async () => {
  await using app = await serveHere()
  const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
  const { code, stdout } = await tracegate(upload(written('dist', build), '--url-prefix', 'https://shop.example/'), env)
  expect({ code, first: stdout.split('\n')[0] }).toMatchObject({
    code: 0,
    first: expect.stringMatching(/^Uploaded: /) as string,
  })
  expect(await symbolicatedFrame(app)).toBe('src/cart.js:2')
  const refused = await tracegate(upload(written('dist', build)), { ...env, TRACEGATE_API_TOKEN: 'tg_no' })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/^tracegate: GET .* returned 401[^\n]*\n$/)
})

test('tracegate call uploads from the allowed folders, and from nowhere else', async () => {
  const dist = written('dist', build)
  const call = (path: string) =>
    tracegate(
      [
        'call',
        'upload_source_map',
        JSON.stringify({ release: 'shop@1.4.0', path }),
        '--toolsets',
        'default,sourcemaps',
        '--data',
        join(folder.path, 'called'),
      ],
      { TRACEGATE_ROOTS: folder.path },
    )
  expect(await call('dist')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Uploaded 2 source maps and 1 minified file for release shop@1\.4\.0;/) as string,
  })
  expect((await call(join(dist, 'app.js.map'))).code).toBe(0)
  expect(await call(import.meta.filename)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('the path is outside the allowed folder') as string,
  })
})

test.each([
  [
    'nothing',
    {},
    /^tracegate: no source map is below the folder, which holds 0 JavaScript and 0 other files; build with/,
  ],
  [
    'bytecode only',
    { 'index.android.bundle.hbc': 'x', 'index.android.bundle': 'f()' },
    /which holds 1 JavaScript and 1 other files; Hermes bytecode \(\.hbc\) is of no use without the composed source map/,
  ],
  [
    'broken maps',
    { 'a.js.map': '{"version":2}' },
    /^reading[^]*\ntracegate: the service cannot use the source map "a\.js\.map"[^]*build the source maps again/,
  ],
])('a folder with %s ends with exit code 1 and the reason', async (name, files, reason) => {
  const dist = written(name.replace(' ', '-'), files)
  mkdirSync(dist, { recursive: true })
  const { code, stdout, stderr } = await tracegate(upload(dist, '--data', join(folder.path, 'data')))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(reason)
})

test('a folder that does not exist is named', async () => {
  const { code, stderr } = await tracegate(upload(join(folder.path, 'none'), '--data', join(folder.path, 'data')))
  expect(code).toBe(2)
  expect(stderr).toBe(`tracegate: sourcemaps upload: there is no file or folder ${join(folder.path, 'none')}\n`)
})

test('an upload whose maps are all rejected ends with exit code 1, although its scripts are stored', async () => {
  const dist = written('rejected', { 'app.js': build['app.js'], 'app.js.map': '{"version":2}' })
  const { code, stdout } = await tracegate(upload(dist, '--data', join(folder.path, 'data')))
  expect(stdout).toContain('~/app.js.map: not usable')
  expect(code).toBe(1)
})

test('with several products one has to be named, and they are listed', async () => {
  await using app = await serveHere()
  const { workspaces } = await app.rest<{ workspaces: { id: string }[] }>('GET', '/v1/workspaces')
  await app.rest('POST', `/v1/workspaces/${workspaces[0]?.id ?? ''}/products`, { name: 'Second', key_prefix: 'SEC' })
  const dist = written('dist', build)
  const asked = await tracegate(upload(dist, '--data', app.dataDir))
  expect(asked).toMatchObject({ code: 2, stderr: 'tracegate: --product: choose one: My product (1), Second (2)\n' })
  const wrong = await tracegate(upload(dist, '--data', app.dataDir, '--product', 'Third'))
  expect(wrong.stderr).toBe(
    'tracegate: --product: there is no product Third: choose My product (1), Second (2); to make it: tracegate init --name Third\n',
  )
  const close = await tracegate(upload(dist, '--data', app.dataDir, '--product', 'secnd'))
  expect(close.stderr).toContain('there is no product secnd: did you mean Second (2)? Others: My product (1); ')
  const right = await tracegate(upload(dist, '--data', app.dataDir, '--product', 'Second'))
  expect(right.stdout).toContain('for release shop@1.4.0 of Second\n')
})

test('on a terminal there is a bar, which is gone at the end', async () => {
  const stream = new PassThrough()
  let shown = ''
  stream.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  // What a bar needs of a terminal besides writing.
  const progress = await showProgress(Object.assign(stream, { isTTY: true, columns: 80 }) as unknown as WriteStream)
  progress.show({ step: 'read', done: 0, total: 2_000_000 })
  progress.show({ step: 'send', done: 500_000, total: 1_000_000 })
  progress.show({ step: 'index', done: 0, total: 0 })
  progress.end()
  progress.end()
  // It draws at most ten times a second: the step between has no picture of its own.
  expect(shown).toMatch(/reading .* 0% {2}2\.0 MB/)
  expect(shown).toMatch(/indexing .* 100%/)
  expect(shown.endsWith('\u001B[1G\u001B[2K')).toBe(true)
})
