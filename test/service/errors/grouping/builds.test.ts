import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { transform } from 'esbuild'
import { expect, test } from 'vitest'
import { startApp } from '../../../app.ts'

/** A page's script with two bugs of the same words, which two ways through it reach. */
const source = `
  class Cart {
    constructor(lines) { this.lines = lines }
    total(rates) { return this.lines.map((line) => priceOf(line, rates)).reduce((sum, price) => sum + price, 0) }
    weight(rates) { return this.lines.map((line) => weightOf(line, rates)).reduce((sum, grams) => sum + grams, 0) }
  }
  function priceOf(line, rates) { if (line.quantity === 0) return 0; return line.quantity * rates[line.sku].amount }
  function weightOf(line, rates) { if (line.quantity === 0) return 0; return line.quantity * rates[line.box].amount }
  function checkout(cart, rates) { if (cart.lines.length === 0) return 0; return cart.total(rates) }
  function parcel(cart, rates) { if (cart.lines.length === 0) return 0; return cart.weight(rates) }
  globalThis.pay = () => checkout(new Cart([{ sku: 'tea', quantity: 2 }]), {})
  globalThis.send = () => parcel(new Cart([{ box: 'tea', quantity: 2 }]), {})
`
/** What the next release adds above it: the minifier hands out other names. */
const addition = `
  function greet(name) { if (name === '') return 'Hello'; return 'Hello ' + name }
  function bye(name) { if (name === '') return 'Bye'; return 'Bye ' + name }
  globalThis.talk = (name) => [greet(name), bye(name)]
`

interface Built {
  code: string
  file: string
}

async function build(code: string): Promise<Built> {
  const { code: minified } = await transform(code, { minify: true, format: 'iife', target: 'es2022' })
  const hash = createHash('sha256').update(minified).digest('hex').slice(0, 8)
  return { code: minified, file: `https://shop.example/assets/app-${hash}.js` }
}

type Frame = Record<string, unknown> & { function: string }

/** The frames of a crash as V8 writes them, caller first, in the form in which the SDK sends them. */
function crashOf({ code, file }: Built, entry: 'pay' | 'send'): Frame[] {
  const page: Record<string, () => unknown> & { failure?: Error } = Object.create(null)
  runInNewContext(code, page, { filename: file })
  const stack = runInNewContext(`try { ${entry}() } catch (error) { error.stack }`, page, {
    filename: 'page',
  }) as string
  const frames = stack.split('\n').flatMap((line): Frame[] => {
    const [, name = '?', place = ''] = /^ {4}at (?:(.+) \()?([^()]+)\)?$/.exec(line) ?? []
    const [, filename = '', lineno, colno] = /^(.*?)(?::(\d+):(\d+))?$/.exec(place) ?? []
    if (filename !== file && filename !== '<anonymous>') return []
    return [{ function: name, filename, ...(lineno && { lineno: Number(lineno), colno: Number(colno) }), in_app: true }]
  })
  return frames.toReversed()
}

/** The same crash in Firefox: no frames of the engine, no owners it does not know, other columns. */
const inFirefox = (frames: Frame[]): Frame[] =>
  frames
    .filter(({ filename }) => filename !== '<anonymous>')
    .map((frame) => ({
      ...frame,
      function: frame.function === '?' ? 'x/<' : frame.function.replace(/^(?:new |Object\.)/, ''),
      colno: Number(frame['colno']) + 2,
    }))

const payload = (frames: Frame[], value: string) => ({
  platform: 'javascript',
  exception: { values: [{ type: 'TypeError', value, stacktrace: { frames } }] },
})
const inChromesWords = "Cannot read properties of undefined (reading 'amount')"
const inFirefoxsWords = `can't access property "amount", e[t.sku] is undefined`

test('a crash of two minified builds in two browsers is one issue, and the bug beside it another', async () => {
  await using app = await startApp()
  const [first, second] = [await build(source), await build(addition + source)]
  const [inFirst, inSecond] = [crashOf(first, 'pay'), crashOf(second, 'pay')]
  const names = (frames: Frame[]) => frames.map((frame) => frame.function)
  expect(names(inFirst)).not.toEqual(names(inSecond))

  const chrome = (frames: Frame[]) => payload(frames, inChromesWords)
  const firefox = (frames: Frame[]) => payload(inFirefox(frames), inFirefoxsWords)
  await app.ingest(firefox(inSecond), chrome(inFirst), chrome(inSecond), firefox(inFirst))
  await app.ingest(chrome(crashOf(first, 'send')), firefox(crashOf(first, 'send')), chrome(crashOf(second, 'send')))

  const issues = await app.db.read.selectFrom('issue').select('times_seen').orderBy('number').execute()
  expect(issues.map((issue) => issue.times_seen)).toEqual([4, 3])
})
