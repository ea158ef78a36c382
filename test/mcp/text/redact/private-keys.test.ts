import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Untrusted } from '../../../../src/contract/base/text.ts'
import { redact } from '../../../../src/mcp/text/redact/index.ts'
import { openBlock } from '../../../../src/mcp/text/open-block.ts'
import { quoted } from '../../../../src/mcp/text/untrusted.ts'
import { describeEvent, type Event, type Frame } from '../../../../tools/support/errors/events.ts'
import { describeStacks } from '../../../../tools/support/errors/stacks.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
const keys = {
  'PKCS 8': rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  'PKCS 1': rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }),
  encrypted: rsa.privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
  'elliptic curve': generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'sec1',
    format: 'pem',
  }),
}
const word = (text: string) => new Untrusted(text)
const crumb = (message: string) => ({ category: word('console'), level: word('info'), message: word(message) })

/** The lines of the key between its first and last one. */
function body(key: string | Buffer): string[] {
  return String(key)
    .trim()
    .split('\n')
    .slice(1, -1)
    .filter((line) => /^[\w+/=]{12,}$/.test(line))
}

/** Lines of the key of which a part is shown. */
function shownLines(shown: unknown, key: string | Buffer): string[] {
  const text = JSON.stringify(shown)
  return body(key).filter((line) => text.includes(line.slice(0, 12)) || text.includes(line.slice(-12)))
}

/** Ways to write the lines of a key into one text. */
const writings: Readonly<Record<string, (lines: string[]) => string>> = {
  'as they are': (lines) => lines.join('\n'),
  'with carriage returns': (lines) => lines.join('\r\n'),
  'with numbers': (lines) => lines.map((line, index) => `${String(index + 11).padStart(4)} | ${line}`).join('\n'),
  'with a mark': (lines) => lines.map((line) => `> ${line}`).join('\n'),
  'as strings that are added': (lines) => lines.map((line) => `'${line}\\n' +`).join('\n'),
  'as a list in JSON': (lines) => JSON.stringify(lines),
  'with literal newlines': (lines) => lines.join(String.raw`\n`),
  'with newlines escaped twice': (lines) => lines.join(String.raw`\\n`),
  'on one line': (lines) => lines.join(' '),
  'percent-encoded': (lines) => encodeURIComponent(lines.join('\n')),
  'without its last line': (lines) => lines.slice(0, -1).join('\n'),
  'cut in the middle': (lines) => lines.join('\n').slice(0, 300),
  'with spaces before': (lines) => lines.map((line) => `        ${line}`).join('\n'),
}

describe.each(Object.entries(keys))('a key of the kind %s', (_, key) => {
  const lines = String(key).trim().split('\n')

  test.each(Object.entries(writings))('is replaced in one text, %s', (_writing, write) => {
    const { text } = redact(`could not read\n${write(lines)}`)
    expect(shownLines(text, key)).toEqual([])
    expect(text).toContain('could not read')
  })

  test('is replaced as one breadcrumb for each line', async () => {
    const event: Event = { id: 'e', breadcrumbs: lines.map(crumb) }
    for (const detail of ['full', 'concise'] as const) {
      const { content } = await openBlock(describeEvent(event, detail).content)
      expect(shownLines(content, key)).toEqual([])
    }
  })

  test('is replaced as a list of lines in the data of a breadcrumb', async () => {
    const data = new Untrusted({ arguments: lines })
    const { content } = await openBlock(describeEvent({ id: 'e', breadcrumbs: [{ data }] }, 'full').content)
    expect(shownLines(content, key)).toEqual([])
  })

  test('is replaced as the code around a crash', async () => {
    for (let at = 0; at < lines.length; at += 1) {
      const frame: Frame = {
        filename: word('src/key.ts'),
        lineno: at + 20,
        in_app: true,
        pre_context: lines.slice(Math.max(0, at - 5), at).map(word),
        context_line: word(lines[at] ?? ''),
        post_context: lines.slice(at + 1, at + 6).map(word),
      }
      const event: Event = { id: 'e', exceptions: [{ type: word('Error'), frames: [frame] }] }
      const block = await openBlock({ ...describeEvent(event, 'full').content, ...describeStacks(event, [frame]) })
      expect(shownLines(block.content, key)).toEqual([])
    }
  })
})

test('breadcrumbs of which only the middle of a key is shown do not show it', async () => {
  const lines = body(keys['PKCS 8']).slice(2, 6)
  const { content, redacted } = await openBlock({
    breadcrumbs: lines.map((line) => quoted`console info: ${word(line)}`),
  })
  expect(shownLines(content, keys['PKCS 8'])).toEqual([])
  expect(redacted).toEqual({ pem: lines.length })
})

test('what stands before, between and behind the lines of a key stays', async () => {
  const lines = String(keys['elliptic curve']).trim().split('\n')
  const texts = [
    'opening the file',
    ...lines.flatMap((line) => [line, 'src/payment/gateway']),
    'd670460b4b4aece5915caf5c68d12f560a9fe3e4',
  ]
  const { content } = await openBlock({ breadcrumbs: texts.map((text) => quoted`${word(text)}`) })
  expect(content['breadcrumbs']).toContain('opening the file')
  expect(content['breadcrumbs']).toContain('d670460b4b4aece5915caf5c68d12f560a9fe3e4')
})

test('digests and other texts of their own are no lines of a key', async () => {
  const digests = [
    '0123456789abcdef'.repeat(4),
    'fedcba9876543210'.repeat(4),
    'src/payment/gateway/index',
    'a'.repeat(64),
  ]
  const { content, redacted } = await openBlock({ breadcrumbs: digests.map((text) => quoted`${word(text)}`) })
  expect(content['breadcrumbs']).toEqual(digests)
  expect(redacted).toEqual({})
})

test.each([
  ['between the marks', 0, 5],
  ['before the last mark', 1, 5],
  ['after the first mark', 0, 4],
  ['without marks', 1, 4],
])('the short last line of a key is hidden though it has no digit, %s', async (_, from, to) => {
  const wide = 'Ab3'.repeat(22).slice(0, 64)
  const all = ['-----BEGIN PRIVATE KEY-----', wide, `Z${wide.slice(1)}`, 'mhDPQFoRriIq', '-----END PRIVATE KEY-----']
  const content = await openBlock(
    describeEvent({ id: 'e', breadcrumbs: all.slice(from, to).map(crumb) }, 'full').content,
  )
  expect(JSON.stringify(content)).not.toContain('mhDPQFoRriIq')
})
