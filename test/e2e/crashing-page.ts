import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'acorn'
import { build } from 'esbuild'
import * as z from 'zod'

/** A page with three bugs of the same words: to the first two lead different ways, to the last two the same. */
const sources: Record<string, string> = {
  'src/cart.ts': `
export interface Line { sku: string; box: string; quantity: number }
export type Rates = Record<string, { amount: number }>

export class Cart {
  #lines: Line[]
  constructor(lines: Line[]) {
    this.#lines = lines
  }
  total(rates: Rates): number[] {
    return this.#lines.map((line) => priceOf(line, rates))
  }
  weight(rates: Rates): number[] {
    return this.#lines.map((line) => weightOf(line, rates) + feeOf(line, rates))
  }
}

function priceOf(line: Line, rates: Rates): number {
  if (line.quantity === 0) return 0
  return line.quantity * rates[line.sku].amount
}

function weightOf(line: Line, rates: Rates): number {
  if (line.quantity === 0) return 0
  return line.quantity * rates[line.box].amount
}

function feeOf(line: Line, rates: Rates): number {
  if (line.quantity > 9) return 0
  return line.quantity + rates[line.sku].amount
}
`,
  'src/attempt.ts': `
export function attempt<Result>(what: string, work: () => Result): Result {
  if (what === '') throw new RangeError('nothing to do')
  return work()
}
`,
  'src/app.ts': `
import { attempt } from './attempt.ts'
import { Cart, type Rates } from './cart.ts'

const cart = new Cart([{ sku: 'tea', box: 'small', quantity: 2 }])

function checkout(rates: Rates): number[] {
  return attempt('checkout', () => cart.total(rates))
}
function parcel(rates: Rates): number[] {
  return attempt('parcel', () => cart.weight(rates))
}
Object.assign(globalThis, { bugs: { pay: () => checkout({}), send: () => parcel({}), fee: () => parcel({ small: { amount: 1 } }) }, version: __VERSION__ })
`,
  // A second page, so that what both use becomes a chunk of its own.
  'src/stock.ts': `
import { attempt } from './attempt.ts'
import { Cart } from './cart.ts'

Object.assign(globalThis, { stock: () => attempt('stock', () => new Cart([]).weight({})) })
`,
}

/** What the next release adds above the old code: lines move, and the minifier hands out other names. */
const additions: Record<string, string> = {
  'src/cart.ts': `
const greetings = ['Hello', 'Bye']
export function greet(name: string, at: number): string {
  if (name === '') return greetings[at] ?? ''
  return greetings[at] + ' ' + name
}
export function spell(name: string): string[] {
  return [...name].map((letter) => letter.toUpperCase())
}
`,
  'src/app.ts': `
import { greet, spell } from './cart.ts'
Object.assign(globalThis, { talk: (name: string) => [greet(name, 0), greet(name, 1), ...spell(name)] })
`,
}

export type Bug = 'pay' | 'send' | 'fee'
export type Browser = 'chrome' | 'firefox'

/** A frame as the SDK sends it. */
export interface PageFrame {
  function: string
  filename: string
  lineno?: number
  colno?: number
  in_app: boolean
}

export interface Crash {
  value: string
  frames: PageFrame[]
}

/** One build of the page, as it is deployed. */
export interface PageBuild {
  release: string
  /** Of the minified files and their maps, by path below the origin. */
  files: Record<string, string>
  /** Each bug as each browser reports it, caller first. */
  crashes: Record<Browser, Record<Bug, Crash>>
}

const origin = 'https://shop.example/'

/** Builds a release of the page and lets it crash in V8. */
export async function buildPage(
  folder: string,
  { release, isLater }: { release: string; isLater: boolean },
): Promise<PageBuild> {
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), (isLater ? (additions[path] ?? '') : '') + text)
  }
  const assets = join(folder, 'assets')
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/app.ts', 'src/stock.ts'],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    define: { __VERSION__: JSON.stringify(release) },
    bundle: true,
    splitting: true,
    minify: true,
    sourcemap: true,
    format: 'esm',
    target: 'es2022',
    tsconfigRaw: {},
    logLevel: 'error',
  })
  const names = readdirSync(assets)
  const files = Object.fromEntries(names.map((name) => [`assets/${name}`, readFileSync(join(assets, name), 'utf8')]))
  const chrome = crashInV8(assets, names.find((name) => /^app-\w+\.js$/.test(name)) ?? '')
  const { pay, send, fee } = chrome
  const firefox = { pay: inFirefox(pay, files), send: inFirefox(send, files), fee: inFirefox(fee, files) }
  return { release, files, crashes: { chrome, firefox } }
}

const Stacks = z.object({ pay: z.string(), send: z.string(), fee: z.string() })

function crashInV8(assets: string, app: string): Record<Bug, Crash> {
  const page = pathToFileURL(join(assets, app)).href
  const script = `
    await import(${JSON.stringify(page)})
    const stacks = {}
    for (const [name, bug] of Object.entries(bugs)) try { bug() } catch (error) { stacks[name] = error.stack }
    console.log(JSON.stringify(stacks))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  const { pay, send, fee } = Stacks.parse(JSON.parse(printed))
  const base = pathToFileURL(assets).href.replace(/assets$/, '')
  return { pay: inChrome(pay, base), send: inChrome(send, base), fee: inChrome(fee, base) }
}

/** The page's own part of a V8 stack, as it would be served. */
function inChrome(stack: string, base: string): Crash {
  const [message = '', ...lines] = stack.replaceAll(base, origin).split('\n')
  const frames = lines.flatMap((line): PageFrame[] => {
    const [, name = '?', place = ''] = /^ {4}at (?:(.+) \()?([^()]+)\)?$/.exec(line) ?? []
    if (place === '<anonymous>') return [{ function: name, filename: place, in_app: true }]
    const [, filename = '', lineno, colno] = /^(.*):(\d+):(\d+)$/.exec(place) ?? []
    if (!filename.startsWith(origin)) return []
    return [{ function: name, filename, lineno: Number(lineno), colno: Number(colno), in_app: true }]
  })
  return { value: message.replace(/^TypeError: /, ''), frames: frames.toReversed() }
}

/**
 * The same crash as Firefox tells it: no frames of the engine, functions without the class they belong to, a nameless one
 * by the function around it, the column where the expression begins, and the words with the code itself.
 */
function inFirefox({ value, frames }: Crash, files: Record<string, string>): Crash {
  const own = frames.filter(({ filename }) => filename !== '<anonymous>')
  const moved = own.map((frame) => {
    const { text, column, inside } = expressionAt(frame, files)
    const name = frame.function === '?' ? `${inside}/<` : bare(frame.function)
    return { frame: { ...frame, function: name, colno: column + 1 }, text }
  })
  const property = /\(reading '(\w+)'\)/.exec(value)?.[1] ?? ''
  const object = moved.at(-1)?.text.replace(new RegExp(`\\.${property}$`), '') ?? ''
  return {
    value: `can't access property "${property}", ${object} is undefined`,
    frames: moved.map(({ frame }) => frame),
  }
}

function bare(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).replace(/^new /, '')
}

const Syntax = z.looseObject({
  type: z.string(),
  start: z.int(),
  end: z.int(),
  id: z.object({ name: z.string().optional() }).nullish(),
  key: z.object({ name: z.string().optional() }).optional(),
})

/** The smallest access or call around a position of a minified file, and the named function that it stands in. */
function expressionAt({ filename, lineno = 0, colno = 0 }: PageFrame, files: Record<string, string>) {
  const code = files[filename.slice(origin.length)] ?? ''
  const before = code.split('\n').slice(0, lineno - 1)
  const line = before.reduce((sum, text) => sum + text.length + 1, 0)
  const at = line + colno - 1
  let found = { start: at, end: at }
  let inside = ''
  function walk(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) walk(each)
    const { data: node } = Syntax.safeParse(value)
    if (node === undefined || at < node.start || at >= node.end) return
    if (/^(?:Member|Call|New)Expression$/.test(node.type)) found = node
    if (/^(?:FunctionDeclaration|MethodDefinition)$/.test(node.type)) inside = (node.id ?? node.key)?.name ?? ''
    for (const member of Object.values(node)) walk(member)
  }
  walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))
  return { text: code.slice(found.start, found.end), column: found.start - line, inside }
}
