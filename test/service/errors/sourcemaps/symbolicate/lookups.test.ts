import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { NormalEvent } from '../../../../../src/service/errors/event/event.ts'
import { normalise } from '../../../../../src/service/errors/ingest/normalise/index.ts'
import { createArtifactIndex } from '../../../../../src/service/errors/sourcemaps/symbolicate/artifacts.ts'
import { createSymbolicator } from '../../../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import { parseRepositoryRoots } from '../../../../../src/service/workspace/components/repo-path.ts'
import type { Database } from '../../../../../src/service/sql/database.ts'
import { startApp, type App } from '../../../../app.ts'
import { tinyMap } from '../uploads/rig.ts'
import { bundle, crash, eventOf, uploadBuild, type Built } from './shop.ts'

let built: Built
let thrown: ReturnType<typeof crash>

beforeAll(async () => {
  built = await bundle('dist/assets/app.js')
  thrown = crash(built.code, 'https://shop.example/assets/app.js')
})

const files = () => ({ 'assets/app.js': built.code, 'assets/app.js.map': built.map })

function normal(event: Record<string, unknown>): NormalEvent {
  return normalise(event, { eventId: 'a'.repeat(32), receivedAt: 0, sizeBytes: 1 })
}

/** The database of an app with a count of its queries, and a clock. */
function counted(app: App) {
  const state = { now: 0, queries: 0 }
  const read = new Proxy(app.db.read, {
    get(target, member) {
      if (member === 'selectFrom') state.queries += 1
      const value: unknown = Reflect.get(target, member)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const db: Database = { ...app.db, read }
  return { db, state }
}

/** A symbolicator of another process on the same data, with its own clock and a count of its queries. */
function another(app: App) {
  const { db, state } = counted(app)
  const symbolicator = createSymbolicator({ db, tables: join(app.dataDir, 'sourcemaps'), now: () => state.now })
  return {
    state,
    symbolicator,
    mapped: (event: NormalEvent) => mappedBy(symbolicator, app, event),
    /** The functions of the crash. */
    named: async () => {
      const { event } = await symbolicator.symbolicate(Number(app.productId), normal(eventOf(thrown)))
      return event.exceptions[0]!.frames.map((frame) => frame.function)
    },
  }
}

async function mappedBy(symbolicator: ReturnType<typeof createSymbolicator>, app: App, event: NormalEvent) {
  const { symbolication } = await symbolicator.symbolicate(Number(app.productId), event)
  return symbolication.frames_mapped
}

test('a map that another process has confirmed is seen within two seconds', async () => {
  await using app = await startApp()
  const { state, symbolicator, mapped } = another(app)
  const event = normal(eventOf(thrown))
  expect(await mapped(event)).toBe(0)
  await uploadBuild(app, files())
  state.now = 1_999
  expect(await mapped(event)).toBe(0)
  state.now = 2_000
  expect(await mapped(event)).toBe(6)
  symbolicator.close()
})

test('a source whose upload another process completes is found within a minute', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const setState = (state: string) => app.db.write((rows) => rows.updateTable('sourcemap').set({ state }).execute())
  await setState('SOURCEMAP_STATE_PROCESSING')
  const { state, symbolicator } = another(app)
  const wanted = {
    productId: Number(app.productId),
    release: 'shop@1.4.1',
    path: 'src/cart/cart.ts',
    roots: parseRepositoryRoots('{}'),
  }
  expect(await symbolicator.sourceTexts(wanted)).toEqual([])
  const before = symbolicator.revision()
  await setState('SOURCEMAP_STATE_READY')
  state.now = 60_000
  expect(await symbolicator.sourceTexts(wanted)).toHaveLength(1)
  expect(symbolicator.revision()).not.toBe(before)
  symbolicator.close()
})

test('a known file costs no query, and the symbolicated event shares nothing with the sent one', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { state, symbolicator } = another(app)
  const event = normal(eventOf(thrown))
  const sent = structuredClone(event)
  const first = await symbolicator.symbolicate(Number(app.productId), event)
  expect(state.queries).toBeLessThanOrEqual(6)
  state.queries = 0
  const second = await symbolicator.symbolicate(Number(app.productId), event)
  expect(state.queries).toBe(0)
  expect(second).toEqual(first)
  expect(event).toEqual(sent)
  symbolicator.close()
})

test('events of other platforms and of sources touch no database', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { state, symbolicator } = another(app)
  const python = { function: 'pay', filename: 'shop/pay.py', lineno: 7, in_app: true }
  const source = { function: 'pay', filename: 'src/pay.ts', lineno: 7, colno: 3, in_app: true }
  for (const [platform, frame] of [['python', python] as const, ['node', source] as const]) {
    const event = normal({ ...eventOf({ type: 'Error', value: 'x', frames: [frame] }), platform })
    expect((await symbolicator.symbolicate(Number(app.productId), event)).event).toBe(event)
  }
  expect(state.queries).toBe(0)
  symbolicator.close()
})

test('a product without artifacts costs one look, and one every two seconds for those of others', async () => {
  await using app = await startApp()
  const { state, symbolicator, mapped } = another(app)
  const frames = (name: string) =>
    thrown.frames.map((frame) => ({ ...frame, filename: `https://shop.example/${name}` }))
  await mapped(normal(eventOf(thrown)))
  expect(state.queries).toBe(2)
  for (const name of ['a.js', 'b.js', 'c.js']) await mapped(normal(eventOf({ ...thrown, frames: frames(name) })))
  expect(state.queries).toBe(2)
  state.now = 2_000
  await mapped(normal(eventOf(thrown)))
  expect(state.queries).toBe(3)
  symbolicator.close()
})

test('what a confirm has added is seen at once where it is told, in that product only', async () => {
  await using app = await startApp()
  const { symbolicator, mapped } = another(app)
  const event = normal(eventOf(thrown))
  expect(await mapped(event)).toBe(0)
  await uploadBuild(app, files())
  symbolicator.changed(Number(app.productId) + 1)
  expect(await mapped(event)).toBe(0)
  symbolicator.changed(Number(app.productId))
  expect(await mapped(event)).toBe(6)
  symbolicator.close()
})

/** The file with the functions of the only build. */
async function functionTable(app: App): Promise<string> {
  const rows = await app.db.read
    .selectFrom('sourcemap_artifact')
    .select('content')
    .where('kind', '=', 'minified')
    .execute()
  return join(app.dataDir, 'sourcemaps', rows[0]!.content)
}

test('functions that could not be read once are named as soon as they can be', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { state, symbolicator, named } = another(app)
  const functions = await functionTable(app)
  renameSync(functions, `${functions}.away`)
  expect(await named()).toContain('totalOf')
  renameSync(`${functions}.away`, functions)
  state.now = 2_000
  expect(await named()).toContain('Cart.totalOf')
  symbolicator.close()
})

test('functions that are written again are read at once where it is told', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { symbolicator, named } = another(app)
  const functions = await functionTable(app)
  const whole = readFileSync(functions)
  writeFileSync(functions, Buffer.from(whole).fill(0, 40))
  expect(await named()).toContain('totalOf')
  writeFileSync(functions, whole)
  expect(await named()).toContain('totalOf')
  symbolicator.changed(Number(app.productId))
  expect(await named()).toContain('Cart.totalOf')
  symbolicator.close()
})

test('releases and sources without a match are remembered only up to the limit as well', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { db, state } = counted(app)
  // 3,000 bytes for each kind.
  const index = createArtifactIndex({ db, now: () => 0, share: 3_000 / (16 * 1024 * 1024) })
  const productId = Number(app.productId)
  const map = await app.db.read.selectFrom('sourcemap_artifact').selectAll().executeTakeFirstOrThrow()
  const asking = [
    (at: number) => index.hasMaps(productId, `shop@${String(at)}`),
    (at: number) => index.findSource(productId, { map, paths: [String(at)] }),
  ]
  for (const ask of asking) {
    for (let at = 0; at < 20; at += 1) await ask(at)
    state.queries = 0
    await ask(19)
    expect(state.queries).toBe(0)
    await ask(0)
    expect(state.queries).toBeGreaterThan(0)
  }
})

test('artifacts of one product are not found by another', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { symbolicator } = another(app)
  const { symbolication } = await symbolicator.symbolicate(Number(app.productId) + 1, normal(eventOf(thrown)))
  expect(symbolication.state).toBe('SYMBOLICATION_STATE_MISSING')
  symbolicator.close()
})

test('of one event 250 places are looked up, those next to the crash, each as often as it comes', async () => {
  await using app = await startApp()
  const code = `throw Error() //${'x'.repeat(2_000)}`
  await uploadBuild(app, { 'app.js': code, 'app.js.map': tinyMap() })
  const { symbolicator } = another(app)
  const stackText = (columnOf: (index: number) => number) => ({
    type: 'Error',
    stacktrace: {
      frames: Array.from({ length: 125 }, (_, index) => {
        return { function: 't', filename: 'https://h/app.js', lineno: 1, colno: columnOf(index), in_app: true }
      }),
    },
  })
  const values = [
    stackText((index) => 1 + index),
    stackText(() => 1_200),
    stackText((index) => 300 + index),
    stackText((index) => 600 + index),
  ]
  const event = normal({ platform: 'javascript', release: 'shop@1.4.1', exception: { values } })
  const { event: read, symbolication } = await symbolicator.symbolicate(Number(app.productId), event)
  const mapped = read.exceptions.map(({ frames }) => frames.filter(({ symbolicated }) => symbolicated).length)
  expect(mapped).toEqual([0, 0, 125, 125])
  expect(symbolication).toMatchObject({ state: 'SYMBOLICATION_STATE_PARTIAL', frames_mapped: 250 })
  expect(symbolication.problems[0]?.reason).toContain('too many different places')

  const recursion = normal({
    platform: 'javascript',
    release: 'shop@1.4.1',
    exception: { values: [stackText((index) => 1 + (index % 2)), stackText(() => 7), ...values.slice(2, 3)] },
  })
  const repeated = await symbolicator.symbolicate(Number(app.productId), recursion)
  expect(repeated.symbolication.frames_mapped).toBe(375)
  symbolicator.close()
})

test('an event that is still being read when the service stops opens no file again', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const { symbolicator } = another(app)
  symbolicator.close()
  const { symbolication } = await symbolicator.symbolicate(Number(app.productId), normal(eventOf(thrown)))
  expect(symbolication.frames_mapped).toBe(0)
})
