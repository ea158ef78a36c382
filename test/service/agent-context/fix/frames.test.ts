import { expect, test } from 'vitest'
import { startApp } from '../../../app.ts'
import { fixContextOf, giveSources, library, own, thrown } from './fix-context.ts'

const chain = thrown(
  {
    type: 'TypeError',
    frames: [library('next'), own('src/cart/cart.ts', 'total', 12), own('src/cart/item.ts', 'price', 3)],
  },
  { type: 'CheckoutError', frames: [own('src/server.ts', 'handle', 9), own('src/checkout.ts', 'pay', 41)] },
)

test('a chain is read from the reported exception to its root cause, each stack caller first', async () => {
  await using app = await startApp()
  await app.ingest({ exception: chain })
  const { frames, event, truncation_signals: signals } = await fixContextOf(app)
  expect(frames.map((frame) => `${frame.exception_index}/${frame.index} ${frame.function}`)).toEqual([
    '1/0 handle',
    '1/1 pay',
    '0/0 next',
    '0/1 total',
    '0/2 price',
  ])
  expect(event?.exceptions.map(({ type, frames: own }) => [type, own.length])).toEqual([
    ['TypeError', 0],
    ['CheckoutError', 0],
  ])
  expect(signals).toEqual(['event.raw_payload:cleared', 'event.exceptions.frames:moved:0/5'])
  expect(event?.raw_payload).toBeNull()
})

test('the files of in-app frames are ranked: where it was thrown, the rest of its stack, its causes', async () => {
  await using app = await startApp()
  await app.request('POST', `/v1/products/${app.productId}/components`, { name: 'Cart', path_globs: ['src/cart/**'] })
  await app.ingest({ exception: chain })
  const { files } = await fixContextOf(app)
  expect(files.map(({ rank, path, reason, component }) => [rank, path, reason, component?.key ?? ''])).toEqual([
    [1, 'src/checkout.ts', 'crash_frame', ''],
    [2, 'src/server.ts', 'in_app_frame', ''],
    [3, 'src/cart/item.ts', 'cause_frame', 'cart'],
    [4, 'src/cart/cart.ts', 'cause_frame', 'cart'],
  ])
  expect(files[0]).toMatchObject({ lines: [{ start: 41, end: 41 }], frame_indexes: [1], requirement_ids: [] })
})

test('a file has one range per line, adjacent lines as one, and the indexes of its frames', async () => {
  await using app = await startApp()
  const lines = [40, 7, 8, 9, 41, 20, 8]
  await app.ingest({
    exception: thrown({ type: 'Error', frames: lines.map((line) => own('src/a.ts', `f${line}`, line)) }),
  })
  const { files } = await fixContextOf(app)
  expect(files).toEqual([
    expect.objectContaining({
      path: 'src/a.ts',
      lines: [
        { start: 7, end: 9 },
        { start: 20, end: 20 },
        { start: 40, end: 41 },
      ],
      frame_indexes: [0, 1, 2, 3, 4, 5, 6],
    }),
  ])
})

test('of 250 frames the in-app ones near the crash stay, with their index, and the cut is named', async () => {
  await using app = await startApp()
  const frames = Array.from({ length: 250 }, (_, index) =>
    index % 10 === 0 ? own(`src/f${index}.ts`, `f${index}`, 1) : library(`l${index}`),
  )
  await app.ingest({ exception: thrown({ type: 'Error', frames }) })
  const usual = await fixContextOf(app)
  expect(usual.frames).toHaveLength(30)
  expect(usual.frames.filter(({ in_app }) => in_app)).toHaveLength(25)
  expect(usual.frames.map(({ index }) => index)).toEqual([
    ...Array.from({ length: 24 }, (_, index) => index * 10),
    240,
    245,
    246,
    247,
    248,
    249,
  ])
  expect(usual.truncation_signals).toContain('frames:max_frames:30/250')
  expect(usual.truncation_signals).toContain('files:max_files:15/25')
  expect(usual.files[0]).toMatchObject({ path: 'src/f240.ts', rank: 1, reason: 'crash_frame' })
  const few = await fixContextOf(app, { max_frames: '1', max_files: '100' })
  expect(few.frames.map(({ index }) => index)).toEqual([240])
  expect(few.files).toHaveLength(25)
})

test('a recursion is cut before the functions that led to it', async () => {
  await using app = await startApp()
  const turns = Array.from({ length: 90 }, (_, index) =>
    index % 2 === 0 ? own('src/tree.ts', 'walk', 12) : own('src/node.ts', 'visit', 7),
  )
  const frames = [own('src/main.ts', 'main', 3), ...turns, own('src/leaf.ts', 'read', 5)]
  await app.ingest({ exception: thrown({ type: 'RangeError', frames }) })
  const { frames: kept } = await fixContextOf(app, { max_frames: '6' })
  expect(kept.map(({ index, function: name }) => `${index} ${name}`)).toEqual([
    '0 main',
    '1 walk',
    '2 visit',
    '89 walk',
    '90 visit',
    '91 read',
  ])
})

test('frames that name no place are not cut as those of a recursion', async () => {
  await using app = await startApp()
  const unknown = Array.from({ length: 9 }, () => ({ function: '<redacted>', in_app: true }))
  await app.ingest({ exception: thrown({ type: 'Crash', frames: unknown }) })
  const { frames: kept } = await fixContextOf(app, { max_frames: '3' })
  expect(kept.map(({ index }) => index)).toEqual([6, 7, 8])
})

test('each stack of a chain keeps the frames at its end when frames are cut', async () => {
  await using app = await startApp()
  const deep = (name: string) => Array.from({ length: 40 }, (_, index) => own(`src/${name}.ts`, `${name}${index}`, 1))
  const causes = thrown({ type: 'TypeError', frames: deep('cause') }, { type: 'Error', frames: deep('own') })
  await app.ingest({ exception: causes })
  const { frames } = await fixContextOf(app, { max_frames: '4' })
  expect(frames.map((frame) => frame.function)).toEqual(['own38', 'own39', 'cause38', 'cause39'])
})

test('a deep recursion in one file lists the frames nearest to the crash', async () => {
  await using app = await startApp()
  const frames = Array.from({ length: 60 }, (_, index) => own('src/tree.ts', `walk${index}`, 1 + index * 2))
  await app.ingest({ exception: thrown({ type: 'RangeError', frames }) })
  const { files, truncation_signals: signals } = await fixContextOf(app)
  expect(files[0]?.frame_indexes).toEqual(Array.from({ length: 20 }, (_, index) => 40 + index))
  expect(files[0]?.lines.at(-1)).toEqual({ start: 119, end: 119 })
  expect(signals).toContain('files.frame_indexes:count:20/60')
})

test('an error without in-app frames implicates no file and keeps its frames', async () => {
  await using app = await startApp()
  await app.ingest({ exception: thrown({ type: 'Error', frames: [library('a'), library('b')] }) })
  const { files, frames, related_issues: related } = await fixContextOf(app)
  expect([files, related, frames.length]).toEqual([[], [], 2])
})

test('without an exception the stack of the thread that crashed is read', async () => {
  await using app = await startApp()
  await app.ingest({
    exception: undefined,
    message: 'deadlock',
    threads: {
      values: [
        { id: 1, stacktrace: { frames: [own('src/idle.ts', 'idle', 1)] } },
        { id: 2, crashed: true, stacktrace: { frames: [own('src/lock.ts', 'lock', 5)] } },
      ],
    },
  })
  const { frames, files, truncation_signals: signals } = await fixContextOf(app)
  expect(frames.map((frame) => [frame.exception_index, frame.function])).toEqual([[-1, 'lock']])
  expect(files.map(({ path }) => path)).toEqual(['src/lock.ts'])
  expect(signals).toContain('event.threads.frames:moved:0/1')
  expect(signals).toContain('event.threads.frames:cleared:0/1')
})

test('a file exists in the snapshot if members sent its path; without a snapshot that is null', async () => {
  await using app = await startApp()
  const exists = async () => (await fixContextOf(app)).files.map((file) => [file.path, file.exists_in_snapshot])
  const frames = [own('src/made-up.ts', 'evil', 1), own('src/cart/cart.ts', 'total', 12)]
  await app.ingest({ exception: thrown({ type: 'Error', frames }) })
  expect(await exists()).toEqual([
    ['src/cart/cart.ts', null],
    ['src/made-up.ts', null],
  ])
  await giveSources(app, 'src/cart/cart.ts', 'src/other.ts')
  expect(await exists()).toEqual([
    ['src/cart/cart.ts', true],
    ['src/made-up.ts', false],
  ])
})

test('variables of frames and all but the newest 20 breadcrumbs are left out, and named', async () => {
  await using app = await startApp()
  const breadcrumbs = Array.from({ length: 31 }, (_, index) => ({ message: `step ${index}` }))
  const frames = [own('src/a.ts', 'a', 1, { vars: { password: 'hunter2', id: 7 } })]
  await app.ingest({ exception: thrown({ type: 'Error', frames }), breadcrumbs })
  const { event, frames: shown, truncation_signals: signals } = await fixContextOf(app)
  expect(event?.breadcrumbs.map(({ message }) => message)).toEqual(
    Array.from({ length: 20 }, (_, index) => `step ${index + 11}`),
  )
  expect(shown[0]?.vars).toEqual({})
  expect(signals).toContain('event.breadcrumbs:count:20/31')
  expect(signals).toContain('frames.vars:cleared:0/2')
})

test('what the ingest removed from the event is named, too', async () => {
  await using app = await startApp()
  await app.ingest({ message: 'x'.repeat(9_000) })
  expect((await fixContextOf(app)).truncation_signals).toContain('event.message:length:8192/9000')
})

test('why frames stayed minified is listed for 30 of them', async () => {
  await using app = await startApp()
  const frames = Array.from({ length: 40 }, (_, index) =>
    own('https://a.example/app.min.js', 't', 1, { colno: 900 + index }),
  )
  await app.ingest({ platform: 'javascript', exception: thrown({ type: 'Error', frames }) })
  const { event, truncation_signals: signals } = await fixContextOf(app)
  expect(event?.symbolication.problems).toHaveLength(30)
  expect(signals).toContain('event.symbolication.problems:count:30/40')
})
