import { readdir, readFile, stat } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { findEvent, parseEnvelope } from '../../../src/service/sample/envelope.ts'
import type { JsonObject } from '../../../src/lib/objects.ts'
import { type IngestRequest, loadSample, readdress, sampleReleases } from '../../../src/service/sample/load.ts'
import {
  placeholderKey,
  readRecording,
  type RecordedLine,
  recordingUrl,
  unfold,
} from '../../../src/service/sample/recording.ts'

interface Frame {
  function?: string
  filename?: string
  lineno?: number
  colno?: number
  in_app?: boolean
}
interface Exception {
  type?: string
  value?: string
  stacktrace?: { frames: Frame[] }
  mechanism?: { type: string; source?: string; is_exception_group?: boolean }
}
interface SampleEvent {
  event_id: string
  timestamp: number
  platform: string
  release: string
  environment: string
  server_name?: string
  exception?: { values: Exception[] }
  logentry?: { message: string; params: unknown[] }
  breadcrumbs?: { timestamp: number }[]
  tags?: object
  user?: { id: string }
}

const recordings = new URL('.', recordingUrl)
const now = Date.parse('2030-05-04T12:00:00.000Z')
const productId = '9007199254740991'
const publicKey = '0123456789abcdef0123456789abcdef'
const serverKey = 'fedcba9876543210fedcba9876543210'

let lines: RecordedLine[]
let bodies: string[]
let events: { offset_ms: number; event: SampleEvent }[]

const sampleEvent = (body: string) => findEvent(parseEnvelope(body)) as JsonObject & SampleEvent

beforeAll(async () => {
  lines = unfold(await readRecording())
  const requests = lines.filter((line) => 'body' in line)
  bodies = requests.map(({ body }) => body)
  events = requests.map(({ offset_ms, body }) => ({ offset_ms, event: sampleEvent(body) }))
})

describe('the recordings', () => {
  test('hold one event per envelope, each with its own id', () => {
    for (const body of bodies) {
      const { header, items } = parseEnvelope(body)
      expect(items.map((item) => item.header.type)).toEqual(['event'])
      expect(header['event_id']).toBe(sampleEvent(body).event_id)
    }
    expect(new Set(events.map(({ event }) => event.event_id)).size).toBe(events.length)
  })

  test('come from at least 12 places in the code, in Node and in a browser', () => {
    const sites = new Set(events.map(({ event }) => crashSite(event)))
    expect(sites.size).toBeGreaterThanOrEqual(12)
    expect(new Set(events.map(({ event }) => event.platform))).toEqual(new Set(['node', 'javascript']))
  })

  test('name three releases and three environments, each after it went out', () => {
    for (const { offset_ms, event } of events) {
      const release = sampleReleases.find(
        ({ version, environment }) => version === event.release && environment === event.environment,
      )
      expect(release?.released_offset_ms, `${event.release} in ${event.environment}`).toBeLessThan(offset_ms)
    }
    expect(new Set(events.map(({ event }) => event.release)).size).toBe(3)
    expect(new Set(events.map(({ event }) => event.environment)).size).toBe(3)
  })

  test('carry breadcrumbs, tags, users, chained causes, a group of errors and a message template', () => {
    const values = events.flatMap(({ event }) => event.exception?.values ?? [])
    expect(events.filter(({ event }) => event.breadcrumbs?.length).length).toBeGreaterThan(100)
    expect(events.filter(({ event }) => event.tags).length).toBe(events.length)
    expect(new Set(events.map(({ event }) => event.user?.id)).size).toBeGreaterThan(100)
    expect(values.filter(({ mechanism }) => mechanism?.source === 'cause').length).toBeGreaterThan(10)
    expect(values.some(({ mechanism }) => mechanism?.is_exception_group)).toBe(true)
    expect(events.some(({ event }) => event.logentry?.message === 'Stock of %s is down to %s')).toBe(true)
  })

  test('have one flood: many users within minutes', () => {
    const sites = Map.groupBy(events, ({ event }) => crashSite(event))
    const [flood = []] = [...sites.values()].toSorted((left, right) => right.length - left.length)
    expect(flood.length).toBeGreaterThanOrEqual(120)
    expect(new Set(flood.map(({ event }) => event.user?.id)).size).toBe(flood.length)
    expect(flood.at(-1)!.offset_ms - flood[0]!.offset_ms).toBeLessThan(15 * 60_000)
  })

  test('have one regression: gone in 1.4.0, resolved, back in 1.4.1 as the newest event', () => {
    const resolved = lines.find((line) => 'resolve' in line)!
    const first = events.find(({ event }) => event.event_id === resolved.resolve)!
    const same = events.filter(({ event }) => crashSite(event) === crashSite(first.event))
    const before = same.filter(({ offset_ms }) => offset_ms < resolved.offset_ms)
    const after = same.filter(({ offset_ms }) => offset_ms > resolved.offset_ms)
    expect(new Set(before.map(({ event }) => event.release))).toEqual(new Set(['shop@1.3.0']))
    expect(new Set(after.map(({ event }) => event.release))).toEqual(new Set(['shop@1.4.1']))
    expect(after.at(-1)?.offset_ms).toBe(0)
  })

  test('reveal nothing about the machine that recorded them', async () => {
    const checkout = fileURLToPath(new URL('../../../', import.meta.url))
    const folders = [checkout, `${homedir()}/`, `${tmpdir()}/`].filter((folder) => folder.length > 2)
    for (const file of await filesIn(recordings)) {
      const text = await readFile(file, 'utf8')
      expect(folders.filter((folder) => text.includes(folder))).toEqual([])
      expect(text).not.toMatch(/\/(?:tmp|home|root|Users)\//)
    }
    for (const body of bodies) expect(body).not.toMatch(/127\.0\.0\.1|localhost|Headless/)
    for (const { event } of events) expect(event.server_name ?? '').toMatch(/^(shop-\w+-1)?$/)
  })

  test('are small', async () => {
    const sizes = await Promise.all((await filesIn(recordings)).map(async (file) => (await stat(file)).size))
    expect(sizes.reduce((total, size) => total + size)).toBeLessThan(3 * 1024 * 1024)
  })

  test('have source maps that lead every frame of the shop to its file, line and function', async () => {
    const maps = await bundledMaps()
    const frames = events.flatMap(({ event }) => framesOf(event).map((frame) => ({ frame, release: event.release })))
    const own = frames.filter(({ frame, release }) => maps.has(mapName(release, frame)))
    expect(own.length).toBeGreaterThan(500)
    for (const { frame, release } of own) {
      const origin = originOf(maps, release, frame)
      expect({ frame, file: origin?.fileName }).toMatchObject({
        file: expect.stringMatching(/\/src\/\w+\/[\w-]+\.ts$/),
      })
    }
    const unmapped = frames.filter(({ frame, release }) => frame.in_app && !maps.has(mapName(release, frame)))
    const names = unmapped.map(({ frame }) => frameFile(frame).replace(/-\w+\.js/, '.js'))
    expect(new Set(names)).toEqual(new Set(['sdk.js', '<anonymous>']))
  })

  test('lead to the line that failed, in every release', async () => {
    const maps = await bundledMaps()
    const guests = events.filter(({ event }) => titleOf(event.exception?.values.at(-1)).endsWith("(reading 'email')"))
    expect(guests.length).toBeGreaterThan(5)
    for (const { event } of guests) {
      const origin = originOf(maps, event.release, framesOf(event).at(-1)!)
      expect(await shopLine(origin)).toBe('return order.customer.email')
    }
  })

  test('were made from the shop as it is; if not, run `npm run sample:record`', async () => {
    for (const map of (await bundledMaps()).values()) {
      const { sources, sourcesContent } = map.payload
      for (const [index, source] of sources.entries()) {
        expect(sourcesContent[index]).toBe(await readFile(shopFile(source), 'utf8'))
      }
    }
  })
})

describe('loadSample', () => {
  test('makes the newest event happen now and keeps the distance of all others', async () => {
    const { sent } = await load()
    const times = sent.map(({ event }) => event.timestamp * 1000)
    expect(times.at(-1)).toBe(now)
    expect(times.map((time) => Math.round(time - now))).toEqual(events.map(({ offset_ms }) => offset_ms))
  })

  test('moves breadcrumbs by the same amount as their event', async () => {
    const { sent } = await load()
    const distances = (event: SampleEvent) =>
      event.breadcrumbs?.map((crumb) => Math.round((event.timestamp - crumb.timestamp) * 1000))
    expect(sent.map(({ event }) => distances(event))).toEqual(events.map(({ event }) => distances(event)))
  })

  test('sends oldest first, and says it was sent now', async () => {
    const { sent, loaded } = await load()
    const times = sent.map(({ event }) => event.timestamp)
    expect(times).toEqual(times.toSorted((left, right) => left - right))
    for (const { envelope } of sent) expect(envelope.header['sent_at']).toBe('2030-05-04T12:00:00.000Z')
    expect(loaded).toEqual({ envelopes: events.length, events: events.length })
  })

  test('replaces every placeholder by the product and the key: that of servers for all but what pages send', async () => {
    const { requests } = await load()
    for (const { method, url, body } of requests) {
      const text = new TextDecoder().decode(body)
      expect(method).toBe('POST')
      const key = sampleEvent(text).platform === 'javascript' ? publicKey : serverKey
      expect(url).toMatch(`/api/${productId}/envelope/?sentry_version=7&sentry_key=${key}&`)
      expect(text).toContain(`"public_key":"${key}"`)
      expect(url + text).not.toContain(placeholderKey)
    }
  })

  test('resolves the issue of the regression between its two lives', async () => {
    const { log } = await load()
    const resolved = log.findIndex((entry) => entry.startsWith('resolve '))
    const id = log[resolved]?.slice('resolve '.length)
    expect(log.filter((entry) => entry.startsWith('resolve '))).toHaveLength(1)
    expect(log.indexOf(`send ${id}`)).toBeGreaterThanOrEqual(0)
    expect(log.indexOf(`send ${id}`)).toBeLessThan(resolved)
    expect(resolved).toBeLessThan(log.length - 1)
  })

  test('reports its progress up to the end, in events', async () => {
    const { progress, loaded } = await load()
    expect(progress.at(-1)).toEqual([loaded.events, loaded.events])
  })

  test('is the same every time', async () => {
    const [first, second] = [await load(), await load()]
    expect(second.requests).toEqual(first.requests)
  })

  test('stops with the status and the answer when the ingest refuses an envelope', async () => {
    const refused = load(() => Promise.resolve({ status: 401, body: '{"detail":"unknown key"}' }))
    await expect(refused).rejects.toThrow('401 to a recorded envelope of the sample: {"detail":"unknown key"}')
  })
})

test('readdress keeps stated lengths right and moves every time of an event', () => {
  const event = {
    event_id: 'a'.repeat(32),
    timestamp: 1_700_000_000.5,
    start_timestamp: 1_700_000_000,
    message: 'Grüße',
    contexts: { app: { app_start_time: '2023-11-14T22:13:10.500Z' } },
  }
  const payload = JSON.stringify(event)
  const header = { dsn: `https://${placeholderKey}@reports.shop.example/1`, sent_at: '2023-11-14T22:13:21Z' }
  const item = { type: 'event', length: Buffer.byteLength(payload) }
  const recorded = {
    offset_ms: -60_000,
    path: `/api/1/envelope/?sentry_key=${placeholderKey}`,
    headers: {},
    body: `${JSON.stringify(header)}\n${JSON.stringify(item)}\n${payload}\n`,
  }
  const { path, body } = readdress(recorded, { productId, publicKey, now })
  const envelope = parseEnvelope(body)
  expect(path).toBe(`/api/${productId}/envelope/?sentry_key=${publicKey}`)
  expect(envelope.header['dsn']).toBe(`https://${publicKey}@reports.shop.example/${productId}`)
  expect(envelope.items[0]?.header['length']).toBe(Buffer.byteLength(envelope.items[0]!.payload))
  expect(findEvent(envelope)).toMatchObject({
    timestamp: (now - 60_000) / 1000,
    start_timestamp: (now - 60_500) / 1000,
    contexts: { app: { app_start_time: '2030-05-04T11:58:50.000Z' } },
  })
})

async function load(answer = () => Promise.resolve({ status: 200, body: '{}' })) {
  const requests: IngestRequest[] = []
  const log: string[] = []
  const progress: [number, number][] = []
  const loaded = await loadSample({
    productId,
    keys: { public: publicKey, server: serverKey },
    now,
    send(request) {
      requests.push(request)
      log.push(`send ${sampleEvent(new TextDecoder().decode(request.body)).event_id}`)
      return answer()
    },
    resolveIssueOf(id) {
      log.push(`resolve ${id}`)
      return Promise.resolve()
    },
    onProgress: (done, total) => progress.push([done, total]),
  })
  const sent = requests.map(({ body }) => {
    const text = new TextDecoder().decode(body)
    return { envelope: parseEnvelope(text), event: sampleEvent(text) }
  })
  return { requests, log, progress, loaded, sent }
}

/** What the error was and which functions it went through. */
function crashSite(event: SampleEvent): string {
  const title = event.logentry?.message ?? titleOf(event.exception?.values.at(-1))
  const functions = framesOf(event).map((frame) => frame.function)
  return [title, event.platform, ...functions].join('|')
}

function titleOf(exception: Exception | undefined): string {
  return `${exception?.type}: ${exception?.value?.replace(/SO-\d+/, 'SO')}`
}

function framesOf(event: SampleEvent): Frame[] {
  return (event.exception?.values ?? []).flatMap(({ stacktrace }) => stacktrace?.frames ?? [])
}

function frameFile({ filename }: Frame): string {
  return filename?.split('/').at(-1) ?? ''
}

function originOf(maps: Map<string, SourceMap>, release: string, frame: Frame) {
  const origin = maps.get(mapName(release, frame))?.findOrigin(frame.lineno ?? 0, frame.colno ?? 0)
  return origin && 'fileName' in origin ? origin : undefined
}

async function shopLine(origin: ReturnType<typeof originOf>): Promise<string | undefined> {
  const text = await readFile(shopFile(origin?.fileName ?? ''), 'utf8')
  return text.split('\n')[(origin?.lineNumber ?? 0) - 1]?.trim()
}

/** The shop's file of a source that a map names. */
function shopFile(source: string): URL {
  return new URL(`../../../src/dev/sample-recorder/shop/${source.replace(/^.*\bsrc\//, '')}`, import.meta.url)
}

async function filesIn(folder: URL): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const mapName = (release: string, frame: Frame) => `${release}/${frameFile(frame)}`

/** The maps by release and the file name that frames have. */
async function bundledMaps(): Promise<Map<string, SourceMap>> {
  const files = (await filesIn(recordings)).filter((file) => file.endsWith('.map'))
  const maps = new Map<string, SourceMap>()
  for (const file of files) {
    const [release] = /shop@[\d.]+/.exec(file)!
    const name = file
      .split('/')
      .at(-1)!
      .replace(/\.map$/, '')
    maps.set(`${release}/${name}`, new SourceMap(JSON.parse(await readFile(file, 'utf8'))))
  }
  return maps
}
