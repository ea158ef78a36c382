import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { promptTexts } from '../../../src/cli/pages/prompt-texts.ts'
import { replyText, type Send } from '../../../src/contract/base/wire.ts'
import { startApp } from '../../app.ts'
import { connect } from '../../mcp/clients.ts'
import { startSampleApp } from '../../sample-app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { hostile, openDesk } from '../rig.ts'

/** The keys of the issues on a page, in its order, and its text. */
async function board(reply: Response) {
  const html = await reply.text()
  const text = html
    .replace(/<style>.*?<\/style>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
  const keys = [...html.matchAll(/class="key">([^<]+)</g)].map(([, key]) => key)
  return { status: reply.status, html, text, keys }
}

test('the board shows the issues that find_error_issues finds, for each choice of the address', async () => {
  await using desk = await openDesk(await startSampleApp())
  await using agent = await connect(desk.app.api)
  const { read } = await desk.signIn()
  const found = async (args: object) => {
    const { structured } = await agent.call('find_error_issues', { ...args, limit: 15 })
    return [...JSON.stringify(structured).matchAll(/"(SHOP-\d+)","?/g)].map(([, key]) => key)
  }
  const cases: [query: string, args: object][] = [
    ['', {}],
    ['status=any&sort=times_seen', { status: 'any', sort: 'times_seen' }],
    ['status=resolved', { status: 'resolved' }],
    ['environment=staging', { environment: 'staging' }],
    ['component=Checkout+and+payment', { component: 'Checkout and payment' }],
    ['release=shop%401.4.1&environment=production', { release: 'shop@1.4.1', environment: 'production' }],
    ['period=1d', { period: '1d' }],
    ['match=Invalid+time', { match: 'Invalid time' }],
  ]
  for (const [query, args] of cases) {
    const shown = await board(await read(`/triage?${query}`))
    expect({ query, status: shown.status, keys: shown.keys }).toEqual({
      query,
      status: 200,
      keys: [...new Set(await found(args))].slice(0, 15),
    })
  }
  expect(desk.errors).toEqual([])
})

test('each issue has its numbers, its occurrences over time and the text of the prompt that fixes it', async () => {
  await using desk = await openDesk(await startSampleApp())
  const { read } = await desk.signIn()
  const { app } = desk
  const { issues } = await app.api.listIssues({ product_id: app.productId, short_id: 'SHOP-25' })
  const { stats } = await app.api.getIssueStats({ id: issues[0]?.id ?? '', period: '30d' })
  const shown = await board(await read('/triage?issue=SHOP-25'))
  expect(shown.keys).toEqual(['SHOP-25'])
  expect(shown.text).toContain('Events 140')
  expect(shown.html).toContain(`aria-label="${String(stats.total)} events in 30 days, most at `)
  const drawn = /class="trend-bars" d="(?<bars>[^"]*)"/.exec(shown.html)?.groups?.['bars'] ?? ''
  expect(drawn.match(/M/g)?.length).toBe(stats.series?.filter(({ count = 0 }) => count > 0).length)
  const prompt = promptTexts({ toolsets: ['default'], readOnly: false }).fixIssue('SHOP-25') ?? 'no prompt'
  await using agent = await connect(app.api)
  const { messages } = await agent.client.getPrompt({ name: 'fix_error_issue', arguments: { issue: 'SHOP-25' } })
  expect(messages).toMatchObject([{ content: { text: prompt } }])
  expect(shown.html).toContain(prompt.replaceAll('"', '&quot;').slice(0, 200))
  expect(desk.errors).toEqual([])
})

test('pages follow each other by links, with the same choices, and show every issue once', async () => {
  const app = await startApp()
  await using desk = await openDesk(app)
  const names = Array.from({ length: 30 }, (_, index) => `Error${String.fromCodePoint(65 + index)}x`)
  await app.ingest(...names.map((type) => ({ exception: { values: [{ type, value: 'x' }] }, fingerprint: [type] })))
  const { read } = await desk.signIn()
  const first = await board(await read('/triage?sort=first_seen'))
  expect(first.text).toContain('30 unresolved error issues , 15 on this page, ordered by first seen')
  const next = /href="(?<path>[^"]*)" rel="next"/.exec(first.html)?.groups?.['path']?.replaceAll('&amp;', '&') ?? ''
  expect(next).toContain('sort=first_seen')
  const second = await board(await read(next))
  expect([first.keys.length, second.keys.length]).toEqual([15, 15])
  expect(new Set([...first.keys, ...second.keys]).size).toBe(30)
  expect(second.text).toContain('First page')
  expect(second.html).not.toContain('rel="next"')
  expect(desk.errors).toEqual([])
})

test('a name that means nothing is explained, and a choice that does not exist is the usual one', async () => {
  await using desk = await openDesk(await startSampleApp())
  const { read } = await desk.signIn()
  const unknown = await board(await read('/triage?release=9.9.9'))
  expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('Not shown: ')])
  const usual = await board(await read('/triage?status=forgotten&period=7y'))
  expect([usual.status, usual.text]).toEqual([200, expect.stringContaining('unresolved error issues')])
  const none = await board(await read('/triage?match=there+is+no+such+text'))
  expect([none.keys, none.text]).toEqual([[], expect.stringContaining('No error issue matches.')])
  expect(desk.errors).toEqual([])
})

test('hostile text of events is text: markup, reversed direction and 10,000 characters', async () => {
  const app = await startApp()
  await using desk = await openDesk(app)
  const long = `${hostile} \u202egnp.exe ${'A'.repeat(10_000)}`
  await app.ingest({
    exception: { values: [{ type: 'Hostile', value: long }] },
    release: hostile,
    environment: 'a"><b>',
    transaction: long,
  })
  const { read } = await desk.signIn()
  const { html, text } = await board(await read('/triage'))
  expect(html).not.toMatch(/<img|evil\.example\/x"|<b>|\u202e/)
  expect(html.match(/<script/g)).toHaveLength(1)
  expect(html).toContain('&lt;script>')
  expect(html).not.toContain('A'.repeat(300))
  expect(text).toContain('characters)')
  expect(desk.errors).toEqual([])
})

test('what stands around the issues is sent before their occurrences over time are read', async () => {
  const released = Promise.withResolvers<undefined>()
  const waiting = (send: Send): Send =>
    async function (request) {
      if (request.url.includes('/stats')) await released.promise
      return send(request)
    }
  await using desk = await openDesk(await startSampleApp(), waiting)
  const { read } = await desk.signIn()
  const pieces = (await read('/triage')).body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  const { value: before = '' } = await pieces.next()
  expect(before).toContain('on this page')
  expect(before).not.toContain('class="issue-row"')
  released.resolve(undefined)
  const after = (await Array.fromAsync({ [Symbol.asyncIterator]: () => pieces })).join('')
  expect(after.match(/class="issue-row"/g)).toHaveLength(15)
  expect((before + after).match(/<\/?html/g)).toEqual(['<html', '</html'])
  expect(desk.errors).toEqual([])
})

test('a reader who leaves before the end of the page is no bug', async () => {
  const asked = Promise.withResolvers<undefined>()
  const ended = Promise.withResolvers<undefined>()
  const hanging = (send: Send): Send =>
    async function (request) {
      if (!request.url.includes('/stats')) return send(request)
      asked.resolve(undefined)
      request.signal?.addEventListener('abort', () => ended.resolve(undefined))
      await ended.promise
      request.signal?.throwIfAborted()
      return send(request)
    }
  await using desk = await openDesk(await startSampleApp(), hanging)
  const { cookie } = await desk.signIn()
  const leaving = new AbortController()
  await fetch(`${desk.origin}/triage`, { headers: { cookie }, signal: leaving.signal })
  await asked.promise
  leaving.abort()
  await ended.promise
  await setImmediate()
  expect(desk.errors).toEqual([])
})

/** A deployment that says of issues only what it has to, and has no statistics and no lists of names. */
function bare(send: Send): Send {
  const lacking = reshaped(
    send,
    'noRoute:getIssueStats',
    'noRoute:listComponents',
    'noRoute:listEnvironments',
    'noRoute:listReleases',
  )
  return async (request) => {
    const reply = await lacking(request)
    if (reply.status !== 200 || !new URL(request.url).pathname.endsWith('/issues')) return reply
    const { issues } = JSON.parse(await replyText(reply)) as { issues: { id: string }[] }
    return { ...reply, body: JSON.stringify({ issues: issues.map(({ id }) => ({ id })) }) }
  }
}

test('what a deployment leaves out is not stated, never zero or usual', async () => {
  const app = await startApp()
  await using desk = await openDesk(app, bare)
  await app.ingest({})
  const { read } = await desk.signIn()
  const { text, status, html } = await board(await read('/triage'))
  expect(status).toBe(200)
  expect(text).toMatch(/No title.*not stated Events not stated Users not stated/)
  expect(text).toMatch(/Evidence not stated/)
  expect(html).not.toContain('<svg')
  expect(html).not.toMatch(/<select[^>]*name="(?:component|environment|release)"/)
  expect(desk.errors).toEqual([])
})
