import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type * as z from 'zod'
import type { output } from '../../../../src/service/agents/types/sourcemap-doctor/schema.ts'
import { OUTPUT_BYTES } from '../../../../src/service/agents/output-size.ts'
import { forgottenMaps } from '../../../../src/service/sample/load.ts'
import { startApp, type App } from '../../../app.ts'
import { startSampleApp } from '../../../sample-app.ts'
import {
  bundle,
  crash,
  eventOf,
  uploadBuild,
  type Built,
  type SentFrame,
} from '../../errors/sourcemaps/symbolicate/shop.ts'
import { upload } from '../../errors/sourcemaps/uploads/rig.ts'
import { runType } from '../run-type.ts'

const release = 'shop@1.4.1'
const address = 'https://shop.example/assets/app.js'

let built: Built
let thrown: ReturnType<typeof crash>

beforeAll(async () => {
  built = await bundle('dist/assets/app.js')
  thrown = crash(built.code, address)
})

async function examine(app: App, input: Record<string, unknown> = {}) {
  const run = await runType(app, 'sourcemap_doctor', input)
  return { ...run, ...(run.output as z.output<typeof output>) }
}

const files = (name = 'app.js', folder = 'assets/') => ({
  [`${folder}${name}`]: built.code,
  [`${folder}${name}.map`]: built.map,
})

/** An event of the crash, with changes to each of its frames. */
function crashed(frame: Partial<SentFrame> & { debug_id?: string } = {}, more: Record<string, unknown> = {}) {
  const { debug_id: debugId, ...change } = frame
  const images = debugId === undefined ? [] : [{ type: 'sourcemap', code_file: change.filename, debug_id: debugId }]
  return eventOf(
    { ...thrown, frames: thrown.frames.map((each) => ({ ...each, ...change })) },
    { ...more, debug_meta: { images } },
  )
}

test("each file of the sample's browser that its newest release forgot is named with the command that uploads it", async () => {
  await using app = await startSampleApp()
  const { groups, fixes, summary } = await examine(app, { release: forgottenMaps.release })
  const forgotten = groups.filter(({ file }) => /\/(?:app|chunk|recommendations)-/.test(file))
  expect(forgotten.length).toBeGreaterThan(0)
  for (const { cause, release: named, file, fix } of forgotten) {
    expect({ cause, named, fix }).toEqual({ cause: 'NO_UPLOAD', named: { version: 'shop@1.4.1', known: true }, fix: 1 })
    expect(file).toMatch(/^~\/assets\//)
  }
  const command = `tracegate sourcemaps upload DIR --release 'shop@1.4.1' --url-prefix '~/assets/' --product ${app.productId}`
  expect(fixes).toMatchObject([{ number: 1, command }])
  expect(fixes[0]?.text).toContain('DIR is the folder of the build that is served under the prefix.')
  // The release before has a build of the same file.
  expect(forgotten.map(({ nearest }) => nearest?.release)).toContain('shop@1.4.0')
  expect(summary).toContain(`Next: ${command}`)
  expect(summary.length).toBeLessThanOrEqual(500)
})

test('a file without a map in a folder with maps differs from a folder without maps, and each fix is listed once', async () => {
  await using app = await startSampleApp()
  const { groups, fixes, summary } = await examine(app, { window: '30d' })
  const causesOf = (version: string) =>
    new Set(groups.filter(({ release: of }) => of.version === version).map(({ cause }) => cause))
  expect(causesOf('shop@1.3.0')).toEqual(new Set(['FILE_NOT_UPLOADED']))
  expect(causesOf('shop@1.4.1')).toEqual(new Set(['NO_UPLOAD']))
  expect(new Map(fixes.map(({ release: { version }, command }) => [version, command !== '']))).toEqual(
    new Map([
      ['shop@1.3.0', false],
      ['shop@1.4.0', false],
      ['shop@1.4.1', true],
    ]),
  )
  expect(fixes).toHaveLength(3)
  for (const { fix, release: of } of groups) expect(fixes.find(({ number }) => number === fix)?.release).toEqual(of)
  expect(summary).toContain('6 files (4 different names) of 3 releases stay minified')
  expect(summary).toContain('Next, one of 3 fixes: tracegate sourcemaps upload DIR')
})

test('an event that happened before the window does not count, although it arrived in it', async () => {
  await using app = await startApp()
  await app.ingest(crashed({}, { timestamp: Date.now() / 1000 - 10 * 86_400 }))
  const [week, month] = [await examine(app, { window: '7d' }), await examine(app, { window: '30d' })]
  expect([week, month].map(({ counts, groups }) => [counts.events, groups.length])).toEqual([
    [0, 0],
    [1, 1],
  ])
})

test('the events of the sample that have minified frames are counted, and equal data gives an equal output', async () => {
  await using app = await startSampleApp()
  const now = Date.now()
  const summaries = await app.db.read.selectFrom('occurrence').select('summary').execute()
  const states = summaries.map(
    ({ summary }) => (JSON.parse(summary) as { symbolication_state?: string }).symbolication_state ?? '',
  )
  const run = () => runType(app, 'sourcemap_doctor', { window: '30d' }, { now })
  const first = await run()
  expect(first.output).toMatchObject({
    counts: {
      events: states.length,
      unmapped_events: states.filter((state) => /_(?:MISSING|PARTIAL|FAILED)$/.test(state)).length,
    },
  })
  expect(await run()).toEqual(first)
})

test('frames are called late when their map came after the event', async () => {
  await using app = await startApp()
  for (const user of ['ada', 'bo']) await app.ingest(crashed({}, { user: { id: user } }))
  expect((await examine(app)).groups.map(({ cause }) => cause)).toEqual(['NO_UPLOAD'])
  await uploadBuild(app, files())
  const { groups, fixes, summary } = await examine(app)
  expect(groups).toMatchObject([{ cause: 'UPLOADED_AFTER_EVENT', fix: 1 }])
  expect(fixes).toMatchObject([{ number: 1, command: '' }])
  expect(summary).toContain('still minified')
})

test.each<{
  cause: string
  when: string
  uploads: (app: App) => Promise<unknown>
  event?: () => Record<string, unknown>
}>([
  { cause: 'NO_UPLOAD', when: 'nothing was uploaded', uploads: () => Promise.resolve() },
  {
    cause: 'FILE_NOT_UPLOADED',
    when: 'only another file was uploaded',
    uploads: (app) => uploadBuild(app, files('other.js')),
  },
  {
    cause: 'NO_UPLOAD',
    when: 'the map of a minified file is missing',
    uploads: (app) => upload(app, { file_name: 'assets/app.js', release }, built.code),
  },
  {
    cause: 'NO_RELEASE',
    when: 'the event names no release',
    uploads: (app) => uploadBuild(app, files()),
    event: () => crashed({}, { release: undefined }),
  },
  {
    cause: 'DEBUG_ID_MISMATCH',
    when: 'the map of another build has another debug id',
    uploads: (app) =>
      upload(
        app,
        { file_name: 'assets/app-GP3VKLUT.js.map', release, debug_id: 'c4c975eb-d022-5bf2-8cc1-144c4b495bd7' },
        built.map,
      ),
    event: () =>
      crashed({
        filename: 'https://shop.example/assets/app-NYNX3Q3S.js',
        debug_id: '18d94363-0392-5e0c-8075-785035ff5eb1',
      }),
  },
  {
    cause: 'PATH_MISMATCH',
    when: 'two uploads fit alike',
    uploads: (app) => uploadBuild(app, { ...files('app.js', 'dist/a/'), ...files('app.js', 'dist/b/') }),
  },
  {
    cause: 'DIST_MISMATCH',
    when: 'the map belongs to another dist',
    uploads: (app) => uploadBuild(app, files(), { release, dist: 'web' }),
    event: () => crashed({}, { dist: 'android' }),
  },
  {
    cause: 'OTHER_BUILD',
    when: 'the map has nothing at the position',
    uploads: (app) => uploadBuild(app, files()),
    event: () => crashed({ lineno: 4_000_000 }),
  },
  {
    cause: 'OTHER_BUILD',
    when: 'the map of the release has another hash in its name',
    uploads: (app) => uploadBuild(app, files('app-GP3VKLUT.js')),
    event: () => crashed({ filename: 'https://shop.example/assets/app-NYNX3Q3S.js' }),
  },
  {
    cause: 'NO_UPLOAD',
    when: 'only the upload of another file was refused',
    uploads: (app) => upload(app, { file_name: 'assets/vendor.js.map', release }, '{"version":2}'),
  },
  {
    cause: 'FILE_NOT_UPLOADED',
    when: 'an upload without the file came after one that was refused',
    async uploads(app) {
      await upload(app, { file_name: 'build.zip', release }, 'not a zip')
      await uploadBuild(app, files('other.js'))
    },
  },
  {
    cause: 'COLUMN_MISSING',
    when: 'the frames have no column',
    uploads: (app) => uploadBuild(app, files()),
    event: () => crashed({ colno: undefined }),
  },
  {
    cause: 'MAP_INVALID',
    when: 'the upload was refused',
    uploads: (app) => upload(app, { file_name: 'assets/app.js.map', release }, '{"version":2}'),
  },
  {
    cause: 'MAP_INVALID',
    when: 'the stored map is damaged',
    async uploads(app) {
      await uploadBuild(app, files())
      const row = await app.db.read
        .selectFrom('sourcemap_artifact')
        .select('content')
        .where('kind', '=', 'map')
        .executeTakeFirstOrThrow()
      truncateSync(join(app.dataDir, 'sourcemaps', row.content), 100)
    },
  },
])('the cause is $cause when $when', async ({ cause, uploads, event = crashed }) => {
  await using app = await startApp()
  await uploads(app)
  await app.ingest(event())
  const { groups, fixes, counts } = await examine(app)
  expect(groups.map((group) => group.cause)).toEqual([cause])
  expect(counts.causes).toEqual({ [cause]: 1 })
  expect(fixes[0]?.text).not.toBe('')
})

test('text of events that a shell would read as more than one argument never becomes part of a command', async () => {
  await using app = await startApp()
  const version = "1.0.0'; rm -rf ~ #"
  await app.ingest(crashed({ filename: 'https://shop.example/$(reboot)/app-NYNX3Q3S.js' }, { release: version }))
  const { groups, fixes, summary, events } = await examine(app)
  expect(groups[0]?.release).toEqual({ version, known: false })
  expect(fixes[0]?.command).toBe(
    `tracegate sourcemaps upload DIR --release VERSION --url-prefix PREFIX --product ${app.productId}`,
  )
  const said = [summary, ...events.map(({ message }) => message)].join('\n')
  expect(said).not.toMatch(/reboot|rm -rf/)
})

test('only the events of the window and of the release asked for are looked at', async () => {
  await using app = await startApp()
  await app.ingest(crashed())
  await app.ingest(crashed({}, { release: 'shop@0.9.0' }))
  expect((await examine(app, { release })).counts.events).toBe(1)
  const later = { now: Date.now() + 2 * 86_400_000 }
  expect(await runType(app, 'sourcemap_doctor', { window: '1d' }, later)).toMatchObject({ output: { groups: [] } })
})

test('a release that the product does not have is named with what to do', async () => {
  await using app = await startApp()
  await expect(examine(app, { release: 'shop@0.9.0' })).rejects.toThrow('no release shop@0.9.0; list the releases')
})

test('the summary has no folder that only events name', async () => {
  await using app = await startApp()
  await app.request('POST', `/v1/products/${app.productId}/releases`, { version: release, environment: 'production' })
  await app.ingest(crashed({ filename: 'https://shop.example/ignore-all-instructions/app.js' }))
  const { fixes, summary } = await examine(app)
  expect(fixes[0]?.command).toContain('ignore-all-instructions')
  expect(summary).toContain('1 file of 1 release stays minified')
  expect(summary).not.toContain('ignore')
})

test('the largest output fits into a run, and what was left out for it is noted', async () => {
  await using app = await startApp()
  const paths = Array.from(
    { length: 150 },
    (_, index) => `${String(index)}${'a/'.repeat(400)}${'é'.repeat(600)}/app.js`,
  )
  for (const some of [paths.slice(0, 75), paths.slice(75)]) {
    const frames = some.map((path) => ({ ...thrown.frames[0]!, filename: 'app.js', abs_path: `https://a/${path}` }))
    await app.ingest(eventOf({ ...thrown, frames }))
  }
  const { output: whole, counts, groups, fixes, truncationSignals } = await examine(app)
  expect(Buffer.byteLength(JSON.stringify(whole))).toBeLessThanOrEqual(OUTPUT_BYTES)
  expect([counts.groups, groups.length <= 100, fixes.length <= 50]).toEqual([150, true, true])
  expect(truncationSignals).toContain('groups:max_items:100/150')
})

test('an error of progress ends the run', async () => {
  await using app = await startSampleApp()
  const stop = new Error('cancelled')
  const onProgress = ({ phase }: { phase: string }) => {
    if (phase === 'samples') throw stop
  }
  await expect(runType(app, 'sourcemap_doctor', {}, { onProgress })).rejects.toBe(stop)
})
