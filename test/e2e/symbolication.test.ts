import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ResponseOf } from '../../src/contract/index.ts'
import { replyText } from '../../src/contract/base/wire.ts'
import { systemPlatform } from '../../src/service/shared/platform.ts'
import { insertDsnKey } from '../../src/service/workspace/dsn-keys.ts'
import { findEvent, parseEnvelope } from '../../src/service/sample/envelope.ts'
import { loadSample, sampleComponents } from '../../src/service/sample/load.ts'
import { readRecording, recordingUrl, unfold } from '../../src/service/sample/recording.ts'
import { browserScenarios } from '../../src/dev/sample-recorder/crashes/browser-scenarios.ts'
import { nodeScenarios } from '../../src/dev/sample-recorder/crashes/node-scenarios.ts'
import { startApp, type App } from '../app.ts'
import { tracegate, type Ran } from '../cli/run.ts'
import { eventually } from '../serve.ts'
import { placeIn } from './shop-source.ts'

const bundles = new URL('./bundles/', recordingUrl)
const releases = readdirSync(bundles).toSorted()

interface SentFrame {
  filename?: string
  abs_path?: string
  function?: string
  lineno?: number
  colno?: number
  in_app?: boolean
}

/** A crash as the SDK reported it from real Chromium or Node. */
interface Sent {
  id: string
  release: string
  scenario: string
  frames: SentFrame[][]
}

type Event = ResponseOf<'getIssueEvent'>['event']
type Frame = Event['exceptions'][number]['frames'][number]

/** All crashes of the sample as the service gives them, by the id that the SDK gave, and the issue of each. */
type Readings = Map<string, { event: Event; issue: string }>

const folder = (release: string) => fileURLToPath(new URL(release, bundles))

let app: App
let sent: Sent[]
let before: Readings
let after: Readings
let uploads: Ran[]

beforeAll(async () => {
  sent = await recorded()
  app = await startApp()
  for (const component of sampleComponents)
    await app.request('POST', `/v1/products/${app.productId}/components`, component)
  await load(app)
  before = await readAll(app)
  uploads = []
  for (const release of releases)
    uploads.push(
      await tracegate(['sourcemaps', 'upload', folder(release), '--release', release, '--data', app.dataDir]),
    )
  // The server looks for what other processes have uploaded every two seconds. It may do so between two of many reads: only
  // when the last upload shows is everything read.
  const { issue, event } = before.get(shopCrash().id)!
  await eventually('the uploads to show', async () => {
    const path = `/v1/issues/${issue}/events/${event.id}`
    const { body } = await app.request<ResponseOf<'getIssueEvent'>>('GET', path)
    return body.event.symbolication.state === 'SYMBOLICATION_STATE_MISSING' ? undefined : body
  })
  after = await readAll(app)
}, 120_000)
afterAll(() => app.close())

async function recorded(): Promise<Sent[]> {
  const lines = unfold(await readRecording())
  return lines.flatMap((line) => {
    if (!('body' in line)) return []
    // What the recorder wrote is the SDK's own event.
    const event = findEvent(parseEnvelope(line.body)) as unknown as {
      event_id: string
      release: string
      environment: string
      exception?: { values: { stacktrace?: { frames: SentFrame[] } }[] }
    }
    const frames = (event.exception?.values ?? []).map(({ stacktrace }) => stacktrace?.frames ?? [])
    return [{ id: event.event_id, release: event.release, scenario: scenarioOf(event, line.offset_ms), frames }]
  })
}

/** Which bug was made to happen then: the recorder's own plan. */
function scenarioOf({ release, environment }: { release: string; environment: string }, offset: number): string {
  const planned = [...nodeScenarios, ...browserScenarios].filter(({ runs }) =>
    runs.some(
      (run) => run.release === release && run.environment === environment && run.before.some((ms) => ms === -offset),
    ),
  )
  if (planned.length !== 1) throw new Error(`${planned.length} scenarios of the sample fit one crash`)
  return planned[0]?.name ?? ''
}

/** Sends all crashes; each has the id that `idOf` makes of its own. */
async function load({ service, db, productId }: App, idOf = (id: string) => id): Promise<void> {
  const publicKey = await db.write((rows) =>
    insertDsnKey(rows, systemPlatform, Number(productId), { ratePerSecond: 0 }),
  )
  await loadSample({
    productId,
    keys: { public: publicKey, server: publicKey },
    now: Date.now(),
    resolveIssueOf: () => Promise.resolve(),
    async send({ url, body, ...request }) {
      const text = new TextDecoder().decode(body)
      const { header } = parseEnvelope(text)
      const id = String(header['event_id'])
      const bytes = new TextEncoder().encode(text.replaceAll(id, idOf(id)))
      const reply = await service.direct({ ...request, url: `http://localhost${url}`, body: bytes })
      return { status: reply.status, body: await replyText(reply) }
    },
  })
}

async function readAll(from: App): Promise<Readings> {
  const readings: Readings = new Map()
  for (const { id } of await issuesOf(from)) {
    for (const { id: eventId, sdk_event_id: sdkId } of await eventsOf(from, id)) {
      const path = `/v1/issues/${id}/events/${eventId}?max_frames=100`
      const { event } = (await from.request<ResponseOf<'getIssueEvent'>>('GET', path)).body
      readings.set(sdkId, { event, issue: id })
    }
  }
  return readings
}

async function eventsOf(from: App, issue: string, page = ''): Promise<ResponseOf<'listIssueEvents'>['events']> {
  const path = `/v1/issues/${issue}/events?page_size=100&page_token=${page}`
  const { events, next_page_token: next } = (await from.request<ResponseOf<'listIssueEvents'>>('GET', path)).body
  return next === '' ? events : [...events, ...(await eventsOf(from, issue, next))]
}

async function issuesOf(from: App, filter = ''): Promise<ResponseOf<'listIssues'>['issues']> {
  const path = `/v1/products/${from.productId}/issues?page_size=100${filter}`
  return (await from.request<ResponseOf<'listIssues'>>('GET', path)).body.issues
}

/** A frame as it was sent and as it reads, with what its event says of it. */
interface Pair {
  release: string
  raw: SentFrame
  frame: Frame
}

/** Every frame of every crash beside what the SDK sent; the recording is of the same frames in the same order. */
function pairsIn(readings: Readings): Pair[] {
  return sent.flatMap(({ id, release, frames }) => {
    const exceptions = readings.get(id)?.event.exceptions ?? []
    expect(exceptions.map((exception) => exception.frames.length)).toEqual(frames.map((stack) => stack.length))
    return frames.flatMap((stack, place) =>
      stack.flatMap((raw, index) => {
        const frame = exceptions[place]?.frames[index]
        return frame === undefined ? [] : [{ release, raw, frame }]
      }),
    )
  })
}

const fileOf = ({ filename = '' }: SentFrame) => filename.slice(filename.lastIndexOf('/') + 1)

/** The map that the recorder kept of the file of a frame; only the shop's own files have one. */
function mapOf({ release, raw }: Pair): TraceMap | undefined {
  const path = [`${release}/server/${fileOf(raw)}.map`, `${release}/public/assets/${fileOf(raw)}.map`].find((name) =>
    kept.has(name),
  )
  if (path === undefined) return undefined
  const known = maps.get(path) ?? new TraceMap(readFileSync(new URL(path, bundles), 'utf8'))
  maps.set(path, known)
  return known
}
const kept = new Set(readdirSync(bundles, { recursive: true, encoding: 'utf8' }))
const maps = new Map<string, TraceMap>()

/** Where a frame really is: the position by another reader of source maps, everything else by the shop's source. */
function truthOf(pair: Pair) {
  const map = mapOf(pair)
  const { lineno = 0, colno = 0 } = pair.raw
  const origin = map && originalPositionFor(map, { line: lineno, column: colno - 1 })
  if (!origin?.source) throw new Error(`nothing is known of ${pair.raw.filename}:${lineno}:${colno}`)
  return placeIn(origin.source.replace(/^(?:\.\.\/)+/, ''), origin.line, origin.column + 1)
}

/** One of the largest group of crashes of the page of the newest release. */
function shopCrash(): Sent {
  const found = sent.find(
    ({ release, scenario }) => release === releases.at(-1) && scenario === 'newsletter link without a form on the page',
  )
  if (found === undefined) throw new Error('the sample has no such crash')
  return found
}

/** In-app frames that a bundler made: those of the shop, and those of the SDK, which came to the page as a file of its own. */
const isMinified = ({ raw }: Pair) => raw.in_app === true && raw.lineno !== undefined

describe('before anything is uploaded', () => {
  test('every minified frame of every crash, of the page and of the server, says why it is minified', () => {
    const reasons = new Set<string>()
    for (const { id, frames } of sent) {
      const { symbolication } = before.get(id)!.event
      const minified = frames.flat().filter((raw) => raw.in_app === true && raw.lineno !== undefined)
      expect(symbolication.problems.map((problem) => problem.abs_path)).toEqual(minified.map((raw) => raw.filename))
      expect(symbolication).toMatchObject({ state: 'SYMBOLICATION_STATE_MISSING', frames_mapped: 0 })
      for (const { reason } of symbolication.problems) reasons.add(reason)
    }
    expect([...reasons].toSorted()).toMatchInlineSnapshot(`
      [
        "no source map was uploaded for this event's release: tracegate sourcemaps upload DIR --release R, with R the release of this event",
        "no source map was uploaded with the debug id of this file or for this event's release: tracegate sourcemaps upload DIR --release R, with R the release of this event",
      ]
    `)
  })

  test('the frames are as they were sent', () => {
    const pairs = pairsIn(before).filter(isMinified)
    expect(pairs.length).toBeGreaterThan(500)
    for (const { raw, frame } of pairs) {
      expect(frame).toMatchObject({ symbolicated: false, original: null, lineno: raw.lineno, colno: raw.colno })
    }
  })
})

describe('after `tracegate sourcemaps upload`', () => {
  test('the command says what it uploaded and how many issues it mended', () => {
    expect(uploads.map(({ code }) => code)).toEqual(releases.map(() => 0))
    const lines = uploads.map(({ stdout }) => stdout.trimEnd().split('\n'))
    // The size is that of the zip: another zlib packs otherwise.
    const told = lines.map(([first = '']) => first.replace(fileURLToPath(bundles), '').replace(/\d+ kB/, 'N kB'))
    expect(told).toMatchInlineSnapshot(`
      [
        "Uploaded: shop@1.3.0 (4 source maps, 4 JavaScript files, N kB) for release shop@1.3.0 of My product",
        "Uploaded: shop@1.4.0 (4 source maps, 4 JavaScript files, N kB) for release shop@1.4.0 of My product",
        "Uploaded: shop@1.4.1 (4 source maps, 4 JavaScript files, N kB) for release shop@1.4.1 of My product",
      ]
    `)
    // Each issue goes by its newest crash: that release's upload mends it.
    expect(lines.map((all) => all.at(-1))).toEqual([
      '1 issue symbolicated again',
      '4 issues symbolicated again',
      '20 issues symbolicated again',
    ])
  })

  test('every frame of the shop has the file, line, column, function and lines around it of its source', () => {
    const pairs = pairsIn(after).filter((pair) => isMinified(pair) && mapOf(pair) !== undefined)
    expect(pairs.length).toBeGreaterThan(500)
    for (const pair of pairs) {
      const { frame } = pair
      const { filename, lineno, colno, context_line, pre_context, post_context } = frame
      const read = { filename, lineno, colno, function: frame.function, context_line, pre_context, post_context }
      expect(read).toEqual(truthOf(pair))
      expect(frame).toMatchObject({ symbolicated: true, in_app: true, repo_path: filename })
    }
    const places = pairs.map(({ release, frame }) => `${release} ${frame.filename}:${frame.lineno}:${frame.colno}`)
    expect(new Set(pairs.map(({ release }) => release))).toEqual(new Set(releases))
    expect(new Set(places).size).toBeGreaterThan(100)
  })

  test('what is left is the SDK, whose file came without a map, and the engine, which has no file', () => {
    const pairs = pairsIn(after).filter((pair) => pair.raw.in_app === true && mapOf(pair) === undefined)
    expect(new Set(pairs.map(({ raw }) => fileOf(raw)))).toEqual(new Set(['<anonymous>', 'sdk-FHIMDCWM.js']))
    for (const { raw, frame } of pairs) expect(frame).toMatchObject({ symbolicated: false, function: raw.function })
    const problems = sent.flatMap(({ id }) => after.get(id)!.event.symbolication.problems)
    const ofSdk = pairs.filter(({ raw }) => fileOf(raw).startsWith('sdk-'))
    expect(problems.map((problem) => problem.abs_path)).toEqual(ofSdk.map(({ raw }) => raw.filename))
    for (const { reason } of problems) expect(reason).toContain('has 4 source maps, but none of this file')
    const states = sent.map(({ id }) => after.get(id)!.event.symbolication)
    expect(new Set(states.filter((each) => each.problems.length === 0).map(({ state }) => state))).toEqual(
      new Set(['SYMBOLICATION_STATE_COMPLETE']),
    )
  })

  test('each bug stayed one issue, and every component has some', async () => {
    const bugs = Map.groupBy(sent, ({ scenario }) => scenario)
    const issuesFor = (readings: Readings) =>
      [...bugs].map(([scenario, crashes]) => [scenario, [...new Set(crashes.map(({ id }) => readings.get(id)!.issue))]])
    expect(issuesFor(after)).toEqual(issuesFor(before))
    expect(issuesFor(after).map(([, issues]) => issues!.length)).toEqual([...bugs].map(() => 1))
    expect(await issuesOf(app)).toHaveLength(bugs.size)
    const { components } = (
      await app.request<ResponseOf<'listComponents'>>('GET', `/v1/products/${app.productId}/components`)
    ).body
    for (const { id } of components) expect(await issuesOf(app, `&component_id=${id}`)).not.toHaveLength(0)
  })

  test('the same crashes once more, now with their maps, are the same issues', async () => {
    const again = (id: string) => id.slice(16) + id.slice(0, 16)
    await load(app, again)
    const readings = await readAll(app)
    expect(readings.size).toBe(2 * sent.length)
    const issueOf = (id: string) => readings.get(id)?.issue
    expect(sent.map(({ id }) => issueOf(again(id)))).toEqual(sent.map(({ id }) => issueOf(id)))
  })
})
