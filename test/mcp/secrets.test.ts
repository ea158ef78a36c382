import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../app.ts'
import { connect, type Connected } from './clients.ts'
import { createEvent, positions } from './corpus/positions.ts'
import { formats, type Format } from './text/redact/formats.ts'
import { wrappers } from './text/redact/wrappers.ts'

/** Each format in a wrapper, and each wrapper around a format. */
const texts = formats.flatMap((format, index) => {
  const chosen = Object.values(wrappers).filter((_, place) => (place + index) % 5 === 0)
  return chosen.flatMap((wrap) => wrap(format.text, format) ?? [])
})
const EVENTS = 14
/** Shorter parts of a secret may be equal to parts of an id. */
const cores = [...new Set(formats.map(({ core }) => core).filter((core) => core.length > 7))]
/** How long the service lets a name be that an SDK sends. */
const limits = { title: 250, transaction: 200, environment: 64, release: 250, logger: 128 }

let app: App
let agent: Connected
beforeAll(async () => {
  let now = Date.UTC(2026, 10, 21)
  app = await startApp({ platform: { now: () => (now += 1000) } })
  agent = await connect(app.api, { options: { toolsets: ['all'] } })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
})

/** The result of a call, in both forms, as it is and without percent-encoding. */
async function read(tool: string, args: Record<string, unknown>): Promise<string> {
  const { text, structured, isError } = await agent.call(tool, args)
  expect({ tool, args, isError, text: isError ? text : '' }).toMatchObject({ isError: false })
  const whole = `${text}\n${JSON.stringify(structured)}`
  return `${whole}\n${whole.replaceAll(/%(?:25)*([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))}`
}

/** What is shown, with the text before it. */
const shownCores = (result: string) =>
  cores
    .filter((core) => result.includes(core))
    .map((core) => result.slice(Math.max(0, result.indexOf(core) - 60)).slice(0, 80))

test('no secret in any position of an event is in the result of a tool', async () => {
  let next = 0
  for (let event = 0; event < EVENTS; event += 1) {
    const sent = createEvent(() => texts[(next += 1) % texts.length] ?? '')
    const { status } = await app.ingest({ ...sent, fingerprint: [`event ${String(event)}`] })
    expect(status).toBe(200)
  }
  const issues = (await app.api.listIssues({ product_id: app.productId, page_size: 100 })).issues
  expect(issues).toHaveLength(EVENTS)
  for (const { short_id: issue } of issues) {
    for (const [tool, args] of [
      ['get_error_issue', { detail: 'full', include: ['stats', 'events'] }],
      ['get_fix_context', { max_frames: 100 }],
    ] as const) {
      expect({ tool, issue, shown: shownCores(await read(tool, { issue, ...args })) }).toEqual({
        tool,
        issue,
        shown: [],
      })
    }
  }
  expect(shownCores(await read('find_error_issues', { status: 'any', limit: 25 }))).toEqual([])
  expect(shownCores(await read('get_workspace_context', { include: ['environments', 'releases'] }))).toEqual([])
  console.log(`redaction: ${String(EVENTS * positions.length)} texts sent to the service, none shown`)
}, 120_000)

/** A token that the service cuts after its first characters. */
function cutAfter({ text, core }: Format, characters: number, limit: number, filler: string): string {
  const kept = text.slice(0, text.indexOf(core) + characters)
  return `${filler.repeat(limit).slice(0, limit - kept.length - 1)} ${text}`
}

test('a token that the service cut is not shown, however few characters are left of it', async () => {
  const tokens = formats.filter(({ canBeCut, name }) => canBeCut === true && /^[a-z]{2,6}[_-]|^AKIA|^JWT/.test(name))
  for (const [index, format] of tokens.filter((_, place) => place % 3 === 0).entries()) {
    const start = format.text.slice(0, format.text.indexOf(format.core) + 4)
    const left = 4 + (index % 12)
    const event = {
      message: cutAfter(format, left, limits.title - 1, 'so it went on '),
      transaction: cutAfter(format, left, limits.transaction, 'step '),
      environment: cutAfter(format, Math.min(left, 8), limits.environment, 'a'),
      release: cutAfter(format, left, limits.release, 'b'),
      logger: cutAfter(format, left, limits.logger, 'c'),
      fingerprint: [`cut ${format.name}`],
    }
    expect((await app.ingest(event)).status).toBe(200)
    const [issue] = (await app.api.listIssues({ product_id: app.productId, page_size: 1 })).issues
    const args = { issue: issue?.short_id, detail: 'full', include: ['stats', 'events'] }
    const result = `${await read('get_error_issue', args)}${await read('find_error_issues', { status: 'any', limit: 1 })}`
    expect({ format: format.name, isShown: result.includes(start) }).toEqual({ format: format.name, isShown: false })
  }
}, 60_000)

test('no secret in a failed test or in members’ text is in the result of a tool', async () => {
  const product_id = app.productId
  await app.api.createRequirement({ product_id, title: 'The page opens' })
  const cases = texts
    .filter((_, index) => index % 8 === 0)
    .map((text, index) => ({
      file_path: 'test/page.test.ts',
      suite_path: [],
      name: `case ${String(index)}${index === 0 ? ' [REQ-1]' : ''}`,
      status: 'RESULT_STATUS_FAILED' as const,
      message: text,
      trace: `Error: ${text}\n    at f (test/page.test.ts:1:2)`,
    }))
  await app.api.ingestTests({ product_id, draft: { cases } })
  for (let index = 0; index < cases.length; index += 1) {
    const test = `TC-${String(index + 1)}`
    expect({ test, shown: shownCores(await read('get_test', { test, detail: 'full' })) }).toEqual({ test, shown: [] })
  }
  for (const text of texts.filter((_, index) => index % 40 === 0)) {
    await app.api.createRequirement({ product_id, title: text.slice(0, 150), statement: text })
  }
  expect(shownCores(await read('list_requirements', { limit: 50 }))).toEqual([])
}, 120_000)
