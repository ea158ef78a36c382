import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '../../../../src/errors.ts'
import { EnvelopeReader } from '../../../../src/service/errors/ingest/envelope.ts'
import { assignEventIds } from '../../../../src/service/errors/ingest/event-id.ts'
import { EVENT_ID } from './harness.ts'

const limits = { headerBytes: 64 * 1024, itemsPerEnvelope: 100, keptBytes: () => Infinity }
const parse = (text: string) => parseEnvelope(Buffer.from(text))

function parseEnvelope(body: Buffer, chunkBytes = Infinity) {
  const reader = new EnvelopeReader(limits)
  for (let at = 0; at < body.length; at += chunkBytes) reader.push(body.subarray(at, at + chunkBytes))
  return reader.end()
}
const shown = (text: string) => parse(text).items.map(({ type, payload }) => [type, payload.toString()])
const refused = expect.objectContaining({ code: 'invalid_argument' })

/** Bytes of any kind when framed with a length; else one line. */
const item = fc.record({
  type: fc.constantFrom('event', 'session', 'attachment', 'a type of tomorrow'),
  attributes: fc.dictionary(
    fc.string().filter((name) => name !== 'length' && name !== 'type' && name !== '__proto__'),
    fc.jsonValue(),
    { maxKeys: 3 },
  ),
  framed: fc.oneof(
    fc.record({ withLength: fc.constant(true), payload: fc.uint8Array({ maxLength: 60 }) }),
    fc.record({
      withLength: fc.constant(false),
      payload: fc.uint8Array({ maxLength: 60 }).map((bytes) => bytes.filter((byte) => byte !== 0x0a)),
    }),
  ),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  between: fc.constantFrom('\n', '\n\n', '\n\r\n', '\n \t\n'),
})

test('whatever is framed, with or without length, is read back from chunks of any size', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string().filter((name) => name !== '__proto__'),
        fc.jsonValue(),
        { maxKeys: 3 },
      ),
      fc.array(item, { maxLength: 8 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      (header, items, ends, chunkBytes) => {
        const parts: Uint8Array[] = [Buffer.from(JSON.stringify(header))]
        for (const { type, attributes, framed, lineEnd, between } of items) {
          const length = framed.withLength ? { length: framed.payload.length } : {}
          const line = JSON.stringify({ ...attributes, type, ...length })
          parts.push(Buffer.from(`${between}${line}${lineEnd}`), framed.payload)
        }
        if (ends) parts.push(Buffer.from('\n'))
        const parsed = parseEnvelope(Buffer.concat(parts), chunkBytes)
        expect(parsed.header).toEqual(JSON.parse(JSON.stringify(header)))
        expect(parsed.items.map(({ type, payload }) => [type, [...payload]])).toEqual(
          items.map(({ type, framed }) => [type, [...framed.payload]]),
        )
      },
    ),
  )
})

/** Bytes of all payloads, none when the body is refused as it should be. */
function bytesOf(body: Buffer): number {
  try {
    return parseEnvelope(body).items.reduce((sum, { payload }) => sum + payload.length, 0)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_argument') return 0
    throw error
  }
}

test('any bytes are an envelope or refused, and no item reaches beyond the body', () => {
  const lines = fc
    .array(fc.constantFrom('{}', '{"type":"event"}', '{"type":"x","length":3}', '[]', 'abc', '', '\r', '{"length":0}'))
    .map((parts) => Buffer.from(parts.join('\n')))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        lines,
      ),
      (body) => {
        expect(bytesOf(body)).toBeLessThanOrEqual(body.length)
      },
    ),
  )
})

test.each<[string, string, [string, string][]]>([
  ['a header alone', '{}', []],
  ['a header line with a carriage return', '{}\r\n{"type":"event"}\r\n{"a":1}\r\n', [['event', '{"a":1}\r']]],
  ['a header at the end as an empty payload', '{}\n{"type":"session"}', [['session', '']]],
  [
    'an empty line as an empty payload',
    '{}\n{"type":"a"}\n\n{"type":"b"}\nx',
    [
      ['a', ''],
      ['b', 'x'],
    ],
  ],
  [
    'line ends inside a payload with length',
    '{}\n{"type":"a","length":3}\n\n\n\n\n{"type":"b"}\nx',
    [
      ['a', '\n\n\n'],
      ['b', 'x'],
    ],
  ],
  ['a length of null as none', '{}\n{"type":"a","length":null}\nxyz', [['a', 'xyz']]],
  ['blank lines and trailing white space', '{}\n\n \n{"type":"a"}\nx\n\n\r\n \t\n', [['a', 'x']]],
])('the parser takes %s', (_name, text, items) => {
  expect(shown(text)).toEqual(items)
})

test('known members of the header that are invalid are no reason to refuse', () => {
  expect(parse('{"event_id":7,"sent_at":{},"dsn":[]}\n').header).toEqual({ event_id: 7, sent_at: {}, dsn: [] })
})

test.each<[string, string]>([
  ['a payload with length followed by a carriage return', '{}\n{"type":"a","length":1}\nx\r\n'],
  ['a negative length', '{}\n{"type":"a","length":-1}\nx'],
  ['a broken length', '{}\n{"type":"a","length":1.5}\nx'],
  ['a type that is no text', '{}\n{"type":1}\nx'],
  ['an empty type', '{}\n{"type":""}\nx'],
  ['a header that is null', 'null\n'],
  ['a blank first line', '\n{}\n'],
])('the parser refuses %s', (_name, text) => {
  expect(() => parse(text)).toThrow(refused)
})

test('one hundred items are taken and one more is refused', () => {
  const items = (count: number) => `{}${'\n{"type":"session"}\n{}'.repeat(count)}`
  expect(parse(items(100)).items).toHaveLength(100)
  expect(() => parse(items(101))).toThrow(refused)
})

test('a header line of 64 KiB is taken and one byte more is refused', () => {
  const line = (bytes: number) => `{"type":"${'a'.repeat(bytes - 11)}"}`
  expect(parse(`{}\n${line(64 * 1024)}\nx`).items).toHaveLength(1)
  expect(() => parse(`{}\n${line(64 * 1024 + 1)}\nx`)).toThrow(refused)
  expect(parse(`${line(64 * 1024)}\n`).items).toHaveLength(0)
  expect(() => parse(`${line(64 * 1024 + 1)}\n`)).toThrow(refused)
})

/** The first digits of the SHA-256 of "order-42". */
const ORDER_42 = hash('sha256', 'order-42').slice(0, 32)

test.each<[string, unknown, unknown[], string[]]>([
  ['the envelope header wins over the payload', EVENT_ID, ['a'.repeat(32)], [EVENT_ID]],
  ['dashes and capitals are folded', '9F1C3A5E-7B2D-4C6A-8E0F-1A2B3C4D5E6F', [undefined], [EVENT_ID]],
  ['hex digits in the payload count before another text in the header', 'xyz', ['A'.repeat(32)], ['a'.repeat(32)]],
  ['another text has an id of its own', ' order-42 ', [undefined], [ORDER_42]],
  ['also where several events come', undefined, ['order-42', undefined], [ORDER_42, 'made 1']],
  ['and where it is the header of several', 'order-42', ['b'.repeat(32), ''], ['b'.repeat(32), ORDER_42]],
  ['one is made when both are invalid', 7, [{}], ['made 1']],
  [
    'of several events each keeps its own',
    EVENT_ID,
    ['a'.repeat(32), 'b'.repeat(32)],
    ['a'.repeat(32), 'b'.repeat(32)],
  ],
  [
    'the header goes to the first without',
    EVENT_ID,
    ['a'.repeat(32), null, null],
    ['a'.repeat(32), EVENT_ID, 'made 1'],
  ],
  ['an id that an event owns is not given away', EVENT_ID, [null, EVENT_ID], ['made 1', EVENT_ID]],
])('event ids: %s', (_name, header, own, expected) => {
  let made = 0
  expect(assignEventIds(header, own, () => `made ${(made += 1)}`)).toEqual(expected)
})
