import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupEvent } from '../../../../src/service/errors/grouping/index.ts'
import type { NormalEvent, NormalFrame } from '../../../../src/service/errors/event/event.ts'
import { crash, event, exception, frame, stack } from './events.ts'
import { IssueBook } from './issue-book.ts'

/** An event as it is grouped, and before a map changed it. */
interface Sent {
  event: NormalEvent
  unsymbolicated?: NormalEvent
}

/** The number of the issue each event gets. */
async function issuesOf(events: readonly Sent[]): Promise<number[]> {
  const book = new IssueBook()
  const issues: number[] = []
  for (const { event: given, unsymbolicated } of events) {
    issues.push(await book.issueOf(groupEvent(given, unsymbolicated && { unsymbolicated })))
  }
  return issues
}

const raw = (given: NormalEvent): Sent => ({ event: given })
const countOf = async (events: readonly Sent[]) => new Set(await issuesOf(events)).size

type Browser = 'chrome' | 'firefox' | 'safari'
type Build = 'A' | 'B'

const userAgents: Record<Browser, string> = {
  chrome: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:149.0) Gecko/20100101 Firefox/149.0',
  safari:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
}
const files: Record<Build, { app: string; chunk: string }> = {
  A: { app: 'app-UDWDYEYW.js', chunk: 'chunk-AMW3KTSD.js' },
  B: { app: 'app-GP3VKLUT.js', chunk: 'chunk-QRSTUVWX.js' },
}

/** A frame of the source, caller first: where it is, and what the two builds call it. */
interface Line {
  source: string
  code: string
  name: string
  built: Record<Build, string>
  /** An engine's own frame stands above it. */
  native?: true
  /** Only Chrome knows it: it awaits what crashed. */
  awaits?: true
  chunk?: true
}

interface Bug {
  type: string
  values: Record<Browser, string>
  lines: readonly Line[]
}

const total: Bug = {
  type: 'TypeError',
  values: {
    chrome: "Cannot read properties of undefined (reading 'total')",
    firefox: 'can\'t access property "total", t is undefined',
    safari: "undefined is not an object (evaluating 't.total')",
  },
  lines: [
    { source: 'web/main.ts', code: 'await checkout(cart)', name: 'start', built: { A: 'q', B: 'K' }, awaits: true },
    { source: 'web/checkout.ts', code: 'lines.map(price)', name: 'checkout', built: { A: 't', B: 'n' }, native: true },
    { source: 'pricing/price.ts', code: 'return line.total', name: 'price', built: { A: 'Zt', B: 'e' }, chunk: true },
    { source: 'pricing/cart.ts', code: 'this.add(total)', name: 'Cart.add', built: { A: 'e.add', B: 'r.add' } },
  ],
}
/** The same words at the same depth, somewhere else. */
const elsewhere: Bug = {
  ...total,
  lines: total.lines.map((line, index) => ({
    ...line,
    source: index === 2 ? 'shipping/rate.ts' : line.source,
    code: index === 2 ? 'return rate.total' : line.code,
    name: index === 2 ? 'rate' : line.name,
    built: index === 2 ? { A: 'Ce', B: 'Me' } : line.built,
  })),
}

const spelling: Record<Browser, (name: string, awaits: boolean) => string> = {
  chrome: (name, awaits) => (awaits ? `async ${name}` : name.includes('.') ? `${name} [as push]` : name),
  firefox: (name) => name,
  safari: (name) => name.replace(/^.*\./, ''),
}
const natives: Record<Browser, Partial<NormalFrame>[]> = {
  chrome: [{ function: 'Array.map', filename: '<anonymous>', abs_path: '<anonymous>' }],
  firefox: [],
  safari: [{ function: 'map', filename: '[native code]', abs_path: '[native code]' }],
}

function sent(bug: Bug, browser: Browser, build: Build): NormalEvent {
  const columns = { chrome: 7, firefox: 11, safari: 15 }[browser]
  const known = bug.lines.filter(({ awaits }) => awaits !== true || browser === 'chrome')
  const frames = known.flatMap(({ built, native, awaits, chunk }, index): Partial<NormalFrame>[] => {
    const file = `https://shop.example/assets/${chunk ? files[build].chunk : files[build].app}`
    const name = spelling[browser](built[build], awaits === true)
    const own = { function: name, filename: file, abs_path: file, lineno: 1, colno: index * 100 + columns }
    return native ? [own, ...natives[browser]] : [own]
  })
  return crash(bug.type, bug.values[browser], stack(...frames), {
    platform: 'javascript',
    release: `shop@${build}`,
    sdk: { name: 'sentry.javascript.browser', version: '11.11.0' },
    request: { method: '', url: '', query_string: '', headers: { 'User-Agent': userAgents[browser] } },
  })
}

/** What symbolication makes of it. */
function mapped(bug: Bug, given: NormalEvent): NormalEvent {
  const lines = bug.lines.slice(-given.exceptions[0]!.frames.filter(({ lineno }) => lineno === 1).length)
  let next = 0
  const frames = given.exceptions[0]!.frames.map((one) => {
    if (one.lineno !== 1) return one
    const { source, code, name } = lines[next++]!
    const { filename, abs_path, lineno, colno } = one
    const original = { filename, abs_path, lineno, colno, function: one.function }
    return {
      ...one,
      function: name,
      raw_function: one.function,
      filename: `src/${source}`,
      abs_path: `../../src/${source}`,
      module: `src/${source}`,
      context_line: `  ${code}`,
      symbolicated: true,
      original,
    }
  })
  return { ...given, exceptions: [{ ...given.exceptions[0]!, frames }] }
}

function variant(bug: Bug, browser: Browser, build: Build, hasMap: boolean): Sent {
  const unsymbolicated = sent(bug, browser, build)
  return hasMap ? { event: mapped(bug, unsymbolicated), unsymbolicated } : { event: unsymbolicated }
}

const browsers: readonly Browser[] = ['chrome', 'firefox', 'safari']
const builds: readonly Build[] = ['A', 'B']
const everyVariant = (bug: Bug) =>
  browsers.flatMap((browser) =>
    builds.flatMap((build) => [false, true].map((hasMap) => variant(bug, browser, build, hasMap))),
  )
const someOf = <T>(all: readonly T[]) => fc.shuffledSubarray([...all], { minLength: 2, maxLength: all.length })

const withoutBrowser = ({ event: given, unsymbolicated }: Sent): Sent => ({
  event: { ...given, request: { ...given.request, headers: {} } },
  ...(unsymbolicated && { unsymbolicated: { ...unsymbolicated, request: { ...given.request, headers: {} } } }),
})

describe('one crash is one issue in three browsers, two builds, with and without maps, in any order', () => {
  const words = 'the cart holds 3 of tea-001'
  test.each<[string, Sent[]]>([
    ['an error of the engine', everyVariant(total)],
    ['an error of the engine, from browsers that do not say who they are', everyVariant(total).map(withoutBrowser)],
    [
      'an error of the shop',
      everyVariant({ ...total, type: 'CartError', values: { chrome: words, firefox: words, safari: words } }),
    ],
  ])('%s', async (_, variants) => {
    await fc.assert(
      fc.asyncProperty(someOf(variants), async (events) => {
        expect(await countOf(events)).toBe(1)
      }),
    )
  })
})

describe('two places with the same type, message and depth stay two issues', () => {
  const both = (list: (bug: Bug) => Sent[]) =>
    [total, elsewhere].flatMap((bug) => list(bug).map((given) => ({ bug, given })))
  const everywhere = (buildsOf: readonly Build[], hasMap: boolean) =>
    both((bug) => browsers.flatMap((browser) => buildsOf.map((build) => variant(bug, browser, build, hasMap))))

  test.each([
    ['minified, in one build', everywhere(['A'], false)],
    ['with maps, in any build', everywhere(builds, true)],
    ['before and after the maps of one build came', [...everywhere(['A'], false), ...everywhere(['A'], true)]],
  ])('%s', async (_, variants) => {
    await fc.assert(
      fc.asyncProperty(someOf(variants), async (events) => {
        const issues = await issuesOf(events.map(({ given }) => given))
        for (const [index, { bug }] of events.entries()) {
          for (const [other, { bug: otherBug }] of events.entries()) {
            expect(issues[index] === issues[other]).toBe(bug === otherBug)
          }
        }
      }),
    )
  })
})

test('callers beyond an await keep apart what one helper throws, where the browser knows them', async () => {
  const [start, ...inner] = total.lines
  const called = (name: string, code: string): Bug => ({
    ...total,
    lines: [{ ...start!, built: { A: name, B: name }, name, code }, ...inner],
  })
  const [pay, search] = [called('pay', 'await total(order)'), called('search', 'await total(list)')]
  for (const hasMap of [false, true]) {
    const [one, other] = [pay, search].map((bug) => variant(bug, 'chrome', 'A', hasMap))
    expect(await issuesOf([one!, other!, one!, other!])).toEqual([0, 1, 0, 1])
    // Firefox knows neither caller: its events have one place to go.
    const firefox = [pay, search].map((bug) => variant(bug, 'firefox', 'A', hasMap))
    expect(await issuesOf([one!, ...firefox, other!])).toEqual([0, 0, 0, 1])
    expect(await issuesOf([...firefox, one!, other!])).toEqual([0, 0, 0, 1])
  }
})

test('names of a minifier lead to no issue of another build by themselves', async () => {
  const inBuild = (hash: string, value: string, names: string[]) =>
    raw(
      crash(
        'TypeError',
        value,
        names.map((name) => frame({ function: name, filename: `https://shop.example/app-${hash}.js` })),
        { platform: 'javascript' },
      ),
    )
  const first = inBuild('UDWDYEYW', 'the cart is gone', ['t', 'n'])
  expect(await issuesOf([first, inBuild('UDWDYEYW', 'the order is gone', ['t', 'n'])])).toEqual([0, 0])
  expect(await issuesOf([first, inBuild('GP3VKLUT', 'the order is gone', ['t', 'n'])])).toEqual([0, 1])
  expect(await issuesOf([first, inBuild('GP3VKLUT', 'the cart is gone', ['e', 'r'])])).toEqual([0, 0])
  // Three names in one order are no accident.
  const deep = inBuild('UDWDYEYW', 'the cart is gone', ['t', 'n', 'q'])
  expect(await issuesOf([deep, inBuild('GP3VKLUT', 'the order is gone', ['t', 'n', 'q'])])).toEqual([0, 0])
})

test('a message that says nothing joins builds only with functions that have names', async () => {
  const inBuild = (hash: string, value: string, names: string[]) =>
    raw(
      crash(
        'Error',
        value,
        names.map((name) => frame({ function: name, filename: `https://shop.example/app-${hash}.js` })),
        { platform: 'javascript' },
      ),
    )
  for (const value of ['', 'Script error.', 'Failed to fetch', '42', 'undefined']) {
    expect(await countOf([inBuild('UDWDYEYW', value, ['t', 'n']), inBuild('GP3VKLUT', value, ['e', 'r'])])).toBe(2)
    expect(
      await countOf([
        inBuild('UDWDYEYW', value, ['t', 'Cart.add', 'save']),
        inBuild('GP3VKLUT', value, ['e', 'Cart.add', 'save']),
      ]),
    ).toBe(1)
  }
})

test('bugs in functions without names, one issue while minified, part when their maps come', async () => {
  const callback = (code: string): Sent => {
    const file = 'https://shop.example/app-UDWDYEYW.js'
    const minified = frame({ function: '?', filename: file, abs_path: file })
    const unsymbolicated = crash('TypeError', 'x is not iterable', [minified], { platform: 'javascript' })
    const there = {
      ...minified,
      filename: 'src/list.ts',
      abs_path: 'src/list.ts',
      context_line: code,
      symbolicated: true,
    }
    return {
      event: { ...unsymbolicated, exceptions: [exception({ type: 'TypeError', frames: [there] })] },
      unsymbolicated,
    }
  }
  const [cart, order] = [callback('for (const line of cart)'), callback('for (const line of order)')]
  expect(await issuesOf([raw(cart.unsymbolicated!), raw(order.unsymbolicated!), cart, order, cart, order])).toEqual([
    0, 0, 0, 1, 0, 1,
  ])
})

test('a map without source lines, or without the functions, leads to the issue of one that has them', async () => {
  const whole = variant(total, 'chrome', 'A', true)
  const withoutLines: Sent = {
    ...whole,
    event: event({
      ...whole.event,
      exceptions: whole.event.exceptions.map((one) => ({
        ...one,
        frames: one.frames.map((each) => ({ ...each, context_line: '' })),
      })),
    }),
  }
  const withoutFunctions: Sent = {
    ...whole,
    event: event({
      ...whole.event,
      exceptions: whole.event.exceptions.map((one) => ({
        ...one,
        frames: one.frames.map((each) => ({ ...each, function: each.original?.function ?? each.function })),
      })),
    }),
  }
  for (const other of [withoutLines, withoutFunctions]) {
    expect(await issuesOf([whole, other])).toEqual([0, 0])
    expect(await issuesOf([other, whole])).toEqual([0, 0])
  }
})

test('a crash of Node is one issue over builds whose bundles and minified names differ', async () => {
  const server = (hash: string, names: string[]) => {
    const file = `/srv/shop/dist/server-${hash}.mjs`
    const frames = names.map((name) =>
      frame({ function: name, filename: file, module: `server-${hash}`, context_line: `${'x'.repeat(140)} {snip}` }),
    )
    return raw(crash('ValidationError', '4051 is not a postcode in DE', frames))
  }
  const one = server('QXHKOJTG', ['async ie', 'Object.handle', 'at', 'st'])
  expect(await issuesOf([one, server('KZ7ZISE4', ['async oe', 'Object.handle', 'ut', 'lt'])])).toEqual([0, 0])
  expect(await issuesOf([one, server('QXHKOJTG', ['async ie', 'Object.handle', 'at', 'lt'])])).toEqual([0, 1])
})

test('loose hashes come with the first event of a hash, so that ever new values add no rows', async () => {
  const book = new IssueBook()
  const said = (value: string) =>
    groupEvent(sent({ ...total, values: { chrome: value, firefox: value, safari: value } }, 'chrome', 'A'))
  await book.issueOf(said('Ann is not signed in'))
  const rows = book.size
  await book.issueOf(said('Bob is not signed in'))
  expect(book.size).toBe(rows)
})

test('a custom fingerprint has no loose hashes, a hybrid one has its own', async () => {
  const given = sent(total, 'chrome', 'A')
  expect(groupEvent({ ...given, fingerprint: ['mine'] }).loose_hashes).toEqual([])
  const hybrid = (part: string, browser: Browser, build: Build) =>
    raw({ ...sent(total, browser, build), fingerprint: ['{{ default }}', part] })
  expect(
    await issuesOf([hybrid('eu', 'chrome', 'A'), hybrid('eu', 'firefox', 'B'), hybrid('us', 'chrome', 'B')]),
  ).toEqual([0, 0, 1])
})

test('the explanation names what else leads to an issue', async () => {
  const { event: given, unsymbolicated } = variant(total, 'chrome', 'A', true)
  expect(groupEvent(given, { unsymbolicated: unsymbolicated! }).explanation).toMatchInlineSnapshot(`
    [
      "Exception: TypeError.",
      "4 in-app frames count, nearest to the crash first: add (src/pricing/cart.ts), price (src/pricing/price.ts), checkout (src/web/checkout.ts), start (src/web/main.ts).",
      "In 4 symbolicated frames the source line counts, and not the name of the function, which the map only suggests.",
      "Frames left out: 1 native code.",
      "With type and value, unless they were seen elsewhere, these lead here too: the functions up to the last await (other browsers and maps); the frames as they were sent (before the upload); the shape of the minified stack (other builds).",
    ]
  `)
  expect(groupEvent(unsymbolicated!).explanation).toMatchInlineSnapshot(`
    [
      "Exception: TypeError.",
      "4 in-app frames count, nearest to the crash first: add (/assets/app-UDWDYEYW.js), Zt (/assets/chunk-AMW3KTSD.js), t (/assets/app-UDWDYEYW.js), q (/assets/app-UDWDYEYW.js).",
      "3 frames have a minified name and no map: such names count only within their build (app-UDWDYEYW.js, chunk-AMW3KTSD.js).",
      "Frames left out: 1 native code.",
      "With type and value, unless they were seen elsewhere, these lead here too: the functions up to the last await (other browsers and maps); the shape of the minified stack (other builds).",
    ]
  `)
})
