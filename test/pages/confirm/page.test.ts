import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { NOT_FROM_SERVICE, ServiceError } from '../../../src/errors.ts'
import { CONFIRMATION_MS } from '../../../src/mcp/confirm/token.ts'
import { tokenHeaders } from '../../service/people.ts'
import { startDesk, type Desk } from './rig.ts'

let desk: Desk
beforeAll(async () => {
  desk = await startDesk()
})
afterAll(() => desk[Symbol.asyncDispose]())
beforeEach(() => {
  desk.thing.text = 'Orders are kept.'
  desk.thing.refused = undefined
  desk.written.length = 0
  desk.errors.length = 0
})

interface Answer {
  status: number
  text: string
}

/** A page as a person reads it. */
async function read(reply: Response): Promise<Answer> {
  const html = await reply.text()
  const text = html
    .replace(/<style>.*<\/style>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  return { status: reply.status, text: text.replaceAll(/\s+/g, ' ') }
}

const open = async (link: string) => read(await fetch(link))

/** Sends the form of a link as its page does. */
async function send(
  link: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const url = new URL(link)
  const body = new URLSearchParams({ t: url.searchParams.get('t') ?? '', ...fields })
  const from = { 'sec-fetch-site': 'same-origin', origin: desk.origin, ...headers }
  return read(await fetch(`${desk.origin}/confirm`, { method: 'POST', headers: from, body, redirect: 'error' }))
}

/** The person's token, and what they type. */
const signed = (token = desk.app.token, typed = 'REQ-12') => ({ api_token_once: token, typed })

async function tokenFor(facts: Parameters<typeof tokenHeaders>[1]): Promise<string> {
  return (await tokenHeaders(desk.app, facts)).authorization.replace('Bearer ', '')
}

const asksAgain = /Type REQ-12 to confirm/

test('the page shows what is decided, and reads or writes nothing', async () => {
  const link = await desk.prepare('delete_thing', 'Because <b>I</b> say so.')
  const { status, text } = await open(link)
  expect(status).toBe(200)
  for (const fact of [
    'Clear REQ-12 for good?',
    'Product Shop',
    'text Orders are kept.',
    'Reason that the agent gives Because <b>I</b> say so.',
    'Undo Not possible',
    'Recorded as The owner of the token that you type',
    'As read at 2026-11-22 12:00 UTC. If it has changed, nothing is written.',
    'Can be confirmed until 2026-11-22 12:05 UTC',
    'Type REQ-12 to confirm',
    'Your API token',
  ]) {
    expect(text).toContain(fact)
  }
  expect(desk.written).toEqual([])
})

test('a person with their own token and the key decides; the result says what was written and by whom, once', async () => {
  const link = await desk.prepare('approve_thing')
  const done = await send(link, signed())
  const { display_name: name, id } = (await desk.app.api.getMe({})).user
  expect(done).toMatchObject({ status: 200 })
  expect(done.text).toContain('Result Cleared.')
  expect(done.text).toContain(`Recorded as ${name ?? ''} (user ${id})`)
  expect(desk.written).toEqual([{ by: name, way: 'page' }])
  const other = await send(link, signed(await tokenFor({ member: 'Other' })))
  expect(other.status).toBe(400)
  expect(other.text).toContain('this confirmation was used before; nothing was written')
  expect(other.text).toContain('look at the current state before you decide again')
  expect(desk.written).toHaveLength(1)
  // Also whoever comes back to it is not asked once more.
  const { status, text } = await open(link)
  expect(status).toBe(400)
  expect(text).toContain('Used before')
  expect(text).not.toMatch(/Nothing is written yet|Not confirmed|Type REQ-12/)
})

test('a write that the service refuses for whose token it was leaves the link to others, and one that is done does not', async () => {
  const link = await desk.prepare('approve_thing')
  const refusals: [ServiceError, status: number, reason: string, next: string][] = [
    [
      new ServiceError('unauthenticated', 'a proxy may have replied', { reason: NOT_FROM_SERVICE }),
      401,
      'Not confirmed: a proxy may have replied.',
      'Tell the operator of this server',
    ],
    [
      new ServiceError('failed_precondition', 'a second person has to', { reason: 'FOUR_EYES_REQUIRED' }),
      400,
      'Not confirmed: a second person has to.',
      'Give the link or code to another person',
    ],
    [
      new ServiceError('permission_denied', 'POST /v1/things returned 403 SCOPE_MISSING', { reason: 'SCOPE_MISSING' }),
      403,
      'Not confirmed: your token lacks the scope for this; nothing was written.',
      'Use an API token of your own that can see the product and may do this',
    ],
    [
      new ServiceError('resource_exhausted', 'too many requests'),
      429,
      'Not confirmed: too many requests.',
      'Wait a minute, then try again',
    ],
  ]
  for (const [error, status, reason, next] of refusals) {
    desk.thing.refused = error
    const { text, ...answer } = await send(link, signed())
    expect(answer).toEqual({ status })
    expect(text).toContain(reason)
    expect(text).toContain(next)
    expect(text).toMatch(asksAgain)
    expect((await open(link)).text).toMatch(asksAgain)
  }
  desk.thing.refused = undefined
  const other = signed(await tokenFor({ member: 'Other' }))
  const both = await Promise.all([send(link, signed()), send(link, other)])
  expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400])
  expect(desk.written).toHaveLength(1)
})

test('a second click, and loading the page again after the time of the link, show the outcome of the first', async () => {
  const link = await desk.prepare('approve_thing')
  const [first, second] = await Promise.all([send(link, signed()), send(link, signed())])
  expect(first.text).toContain('Result Cleared.')
  expect(second).toEqual(first)
  desk.clock.now += CONFIRMATION_MS
  expect(await send(link, signed())).toEqual(first)
  expect(desk.written).toHaveLength(1)
})

test('below level 3 no key is asked for', async () => {
  const link = await desk.prepare('change_things')
  expect((await open(link)).text).not.toMatch(asksAgain)
  expect((await send(link, { api_token_once: desk.app.token })).text).toContain('Cleared.')
})

test('a key or token that is not right is refused with its reason, and the form comes again', async () => {
  const link = await desk.prepare('delete_thing')
  const cases: [fields: Record<string, string>, status: number, reason: string, next: string][] = [
    [signed(undefined, 'REQ-13'), 400, 'what was typed is not REQ-12; nothing was written', 'exactly as it is shown'],
    [signed(undefined, ''), 400, 'what was typed is not REQ-12', 'exactly as it is shown'],
    [signed('tg_wrong'), 401, 'this token is not valid here; nothing was written', 'copied whole'],
    [signed('two words'), 401, 'what was typed is not an API token; nothing was written', 'copied whole'],
    [signed(''), 401, 'what was typed is not an API token', 'copied whole'],
    [
      signed(await tokenFor({ kind: 'agent' })),
      403,
      'this token was made for an agent; nothing was written',
      'a person',
    ],
    [
      signed(await tokenFor({ kind: 'ci' })),
      403,
      'this token was made for a CI system; nothing was written',
      'a person',
    ],
    [
      signed(await tokenFor({ stranger: true })),
      404,
      'your token does not see what this is about',
      'that can see the product',
    ],
    [signed(await tokenFor({ revokedAt: 1 })), 401, 'this token is not valid here', 'copied whole'],
  ]
  for (const [fields, status, reason, next] of cases) {
    const { text, ...answer } = await send(link, fields)
    expect({ fields, ...answer }).toEqual({ fields, status })
    expect(text).toContain(reason)
    expect(text).toContain(next)
    expect(text).toMatch(asksAgain)
  }
  expect(desk.written).toEqual([])
  // None of it has used up the link.
  expect((await send(link, signed())).text).toContain('Cleared.')
})

test('a code that cannot be confirmed any more is refused with its reason, and no form', async () => {
  const [early, changed] = [await desk.prepare('delete_thing'), await desk.prepare('delete_thing')]
  const refusals: [link: string, status: number, reason: string, next: string][] = [
    [early.replace('t=c', 't=cAAAA'), 400, 'was not issued by this server, or was changed', 'copied whole'],
    [`${desk.origin}/confirm`, 400, 'was not issued by this server', 'copied whole'],
    [changed, 409, 'has changed; nothing was written', 'Ask the agent to prepare it again'.toLowerCase()],
  ]
  desk.thing.text = 'Orders are deleted.'
  for (const [link, status, reason, next] of refusals) {
    const { text, ...answer } = await send(link, signed())
    expect({ link, ...answer }).toEqual({ link, status })
    expect(text).toContain(reason)
    expect(text.toLowerCase()).toContain(next.toLowerCase())
    expect(text).not.toMatch(asksAgain)
  }
  desk.thing.text = 'Orders are kept.'
  desk.clock.now += CONFIRMATION_MS
  for (const late of [await open(early), await send(early, signed())]) {
    expect(late.text).toContain('this confirmation has expired')
    expect(late.text).toMatch(
      /^ *Expired .*If it was confirmed in time, it is done. Otherwise: ask the agent to prepare/,
    )
    expect(late.text).not.toMatch(asksAgain)
  }
  expect(desk.written).toEqual([])
})

test('a form that another site sends is refused, and writes nothing', async () => {
  const link = await desk.prepare('delete_thing')
  const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]
  for (const headers of foreign) {
    const { status, text } = await send(link, signed(), headers)
    expect(status).toBe(403)
    expect(text).toContain('This form was sent by a page of another site, so it was refused.')
    expect(text).toContain('Open the link again')
  }
  expect(desk.written).toEqual([])
})

test('a refusal shows no token, and a bug no details', async () => {
  const link = await desk.prepare('delete_thing')
  const token = await tokenFor({ stranger: true })
  expect((await send(link, signed(token))).text).not.toContain(token)
  const text = desk.thing.text
  Object.defineProperty(desk.thing, 'text', {
    configurable: true,
    get: () => {
      throw new Error(`bug with ${token}`)
    },
  })
  const failed = await send(link, signed())
  Object.defineProperty(desk.thing, 'text', { configurable: true, writable: true, enumerable: true, value: text })
  expect(failed.status).toBe(500)
  expect(failed.text).not.toContain('bug with')
  expect(failed.text).toContain('Read the state again before you repeat anything')
  expect(desk.errors).toHaveLength(1)
})

test('where the answer to the write is lost, the page does not say that nothing was written', async () => {
  const link = await desk.prepare('delete_thing')
  const written = desk.thing.written
  Object.defineProperty(desk.thing, 'written', {
    configurable: true,
    get: () => {
      throw new ServiceError('outcome_unknown', 'the answer was lost')
    },
  })
  const lost = await send(link, signed())
  Object.defineProperty(desk.thing, 'written', { configurable: true, writable: true, enumerable: true, value: written })
  for (const { status, text } of [lost, await send(link, signed())]) {
    expect(status).toBe(503)
    expect(text).toContain(
      'It may have been written the answer was lost. Look at the current state before you try again',
    )
    expect(text).not.toMatch(/not confirmed|nothing was written/i)
  }
})

test('where the service fails before the write, the page says that nothing was written, and asks again', async () => {
  const link = await desk.prepare('delete_thing')
  const text = desk.thing.text
  Object.defineProperty(desk.thing, 'text', {
    configurable: true,
    get: () => {
      throw new ServiceError('internal', 'GET /v1/things returned 500')
    },
  })
  const failed = await send(link, signed())
  Object.defineProperty(desk.thing, 'text', { configurable: true, writable: true, enumerable: true, value: text })
  expect(failed.status).toBe(503)
  expect(failed.text).toContain('the service did not answer as it should; nothing was written. Try again in a moment')
  expect(failed.text).toMatch(asksAgain)
  expect((await send(link, signed())).text).toContain('Cleared.')
})
