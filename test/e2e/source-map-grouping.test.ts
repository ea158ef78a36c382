import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../app.ts'
import { temporaryFolder } from '../cli/run.ts'
import { upload, zipOf } from '../service/errors/sourcemaps/uploads/rig.ts'
import { buildPage, type Browser, type Bug, type PageBuild } from './crashing-page.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

let older: PageBuild
let newer: PageBuild

beforeAll(async () => {
  const path = realpathSync(folder.path)
  older = await buildPage(join(path, 'older'), { release: 'page@1', isLater: false })
  newer = await buildPage(join(path, 'newer'), { release: 'page@2', isLater: true })
})

/** Sends a crash, raw or mapped as the service has it then. */
async function crash(app: App, build: PageBuild, browser: Browser, bug: Bug): Promise<void> {
  const { value, frames } = build.crashes[browser][bug]
  const exception = { values: [{ type: 'TypeError', value, stacktrace: { frames } }] }
  const { status } = await app.ingest({ platform: 'javascript', release: build.release, exception })
  expect(status).toBe(200)
}

async function uploadMaps(app: App, { release, files }: PageBuild): Promise<number> {
  const { status, body } = await upload(app, { file_name: `${release}.zip`, release }, await zipOf(files))
  expect(status).toBe(200)
  return body.resymbolicated_issues
}

function issuesOf({ db }: App) {
  return db.read.selectFrom('issue').select(['times_seen', 'culprit']).orderBy('times_seen').execute()
}

test('the two builds share neither chunk names nor the names of their functions, nor the browsers their words', () => {
  const names = ({ files }: PageBuild) => Object.keys(files)
  expect(names(older).filter((name) => names(newer).includes(name))).toEqual([])
  const functions = ({ crashes }: PageBuild, browser: Browser) =>
    crashes[browser].pay.frames.map((frame) => frame.function)
  expect(functions(older, 'chrome')).toMatchInlineSnapshot(`
    [
      "pay",
      "o",
      "a",
      "?",
      "r.total",
      "Array.map",
      "?",
      "u",
    ]
  `)
  expect(functions(newer, 'chrome')).toMatchInlineSnapshot(`
    [
      "pay",
      "l",
      "m",
      "?",
      "u.total",
      "Array.map",
      "?",
      "i",
    ]
  `)
  expect(functions(newer, 'firefox')).toMatchInlineSnapshot(`
    [
      "pay",
      "l",
      "m",
      "l/<",
      "total",
      "total/<",
      "i",
    ]
  `)
  expect(newer.crashes.firefox.pay.value).toMatchInlineSnapshot(
    `"can't access property "amount", n[t.sku] is undefined"`,
  )
})

const moments = ['never', 'first', 'between', 'last'] as const
type Moment = (typeof moments)[number]
const orders = moments.flatMap((one) => moments.map((other): [Moment, Moment] => [one, other]))

test.each(orders)(
  'with the maps of the older build uploaded %s and of the newer one %s, each bug is one issue',
  async (ofOlder, ofNewer) => {
    await using app = await startApp()
    const uploadAt = async (moment: Moment) => {
      if (ofOlder === moment) await uploadMaps(app, older)
      if (ofNewer === moment) await uploadMaps(app, newer)
    }
    // Three crashes of one bug for each of the other, so that counts tell them apart.
    const both = async (build: PageBuild, browser: Browser) => {
      await crash(app, build, browser, 'pay')
      await crash(app, build, browser, 'send')
      await crash(app, build, browser, 'pay')
    }
    await uploadAt('first')
    await both(older, 'firefox')
    await both(newer, 'chrome')
    await uploadAt('between')
    await both(older, 'chrome')
    await both(newer, 'firefox')
    await uploadAt('last')
    for (const build of [newer, older]) for (const browser of ['chrome', 'firefox'] as const) await both(build, browser)
    expect((await issuesOf(app)).map((issue) => issue.times_seen)).toEqual([8, 16])
  },
)

test('each bug names the function of its source once the newest crash has its maps', async () => {
  await using app = await startApp()
  await crash(app, older, 'chrome', 'pay')
  await crash(app, older, 'firefox', 'send')
  expect(await uploadMaps(app, older)).toBe(2)
  await crash(app, older, 'firefox', 'pay')
  expect(await issuesOf(app)).toEqual([
    { times_seen: 1, culprit: 'weightOf (src/cart.ts)' },
    { times_seen: 2, culprit: 'priceOf (src/cart.ts)' },
  ])
})

test.each(['never', 'first', 'between'] as const)(
  'two bugs that differ only in the function that fails stay two in one bundle, with its maps uploaded %s',
  async (moment) => {
    await using app = await startApp()
    if (moment === 'first') await uploadMaps(app, older)
    for (const browser of ['chrome', 'firefox'] as const) {
      await crash(app, older, browser, 'send')
      await crash(app, older, browser, 'fee')
      if (moment === 'between' && browser === 'chrome') await uploadMaps(app, older)
      await crash(app, older, browser, 'fee')
    }
    expect((await issuesOf(app)).map((issue) => issue.times_seen)).toEqual([2, 4])
  },
)
