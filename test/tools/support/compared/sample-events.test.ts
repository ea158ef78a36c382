import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createApi } from '../../../../src/client/client.ts'
import type { Send } from '../../../../src/contract/base/wire.ts'
import type { Context } from '../../../../src/mcp/define/define.ts'
import { openBlock } from '../../../../src/mcp/text/open-block.ts'
import { readVariation, variationLimits } from '../../../../tools/support/compared/variation.ts'

interface Sent {
  id: string
  [member: string]: unknown
}

/** A deployment with these occurrences of one issue, newest first; `read` collects the ids of those that were read. */
function deployment(events: readonly Sent[], read: string[] = []): Context {
  const send: Send = (request) => {
    const [, id] = /\/events\/([^?]+)/.exec(request.url) ?? []
    if (id !== undefined) read.push(id)
    const list = events.map((event) => ({ ...event, breadcrumbs: undefined }))
    const body = id === undefined ? { events: list } : { event: events.find((event) => event.id === id) }
    return Promise.resolve({ status: 200, headers: {}, body: JSON.stringify(body) })
  }
  return {
    api: createApi({ send, baseUrl: 'https://errors.example', token: 't' }),
    signal: new AbortController().signal,
  } as Context
}

const id = (nr: number) => `019ab3c4-${nr.toString(16).padStart(4, '0')}-7abc-8def-0123456789ab`

function occurrences(count: number, odd: ReadonlySet<number>): Sent[] {
  return Array.from({ length: count }, (_, nr) => ({
    id: id(nr),
    environment: 'production',
    message: `import ${String(nr)} failed`,
    breadcrumbs: [
      { category: 'session', message: `session 5f${String(nr % 9)}ac07d9b${String(nr % 9)} opened` },
      {
        category: 'import',
        message: `row ${String(nr * 7)} has the amount "${odd.has(nr) ? '1.205,50' : `${String(nr)}.50`}"`,
      },
    ],
  }))
}

test('whichever 3 of 80 occurrences carry another form of a value, it is the first line, with its count', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat({ max: 79 }), { minLength: 3, maxLength: 3 }), async (places) => {
      const context = deployment(occurrences(80, new Set(places)))
      const { content, compared } = await readVariation({ id: 'i', times_seen: 80 }, variationLimits.few, context)
      const [line] = (await openBlock(content)).content['varies'] as string[]
      expect(compared).toBe('all 80 occurrences')
      expect(line).toMatch(
        /^breadcrumb import: row \{\} has the amount \{\*\}: like "\d+\.50" \(77\), "1\.205,50" \(3, 019ab3c4-/,
      )
    }),
    { numRuns: 25 },
  )
})

test('of 200 occurrences 100 are read, with the only one of a release and the only one of an environment', async () => {
  const events = occurrences(200, new Set())
  Object.assign(events[123] ?? {}, { release: 'shop@2.0.0' })
  Object.assign(events[171] ?? {}, { environment: 'staging' })
  const read: string[] = []
  const context = deployment(events, read)
  const { compared } = await readVariation({ id: 'i', times_seen: 200 }, variationLimits.few, context)
  expect(compared).toBe('100 occurrences of 200')
  expect(read).toHaveLength(100)
  expect(read.slice(0, 8)).toEqual(expect.arrayContaining([id(123), id(171)]))
})
