import { expect, test } from 'vitest'
import { matchCandidates, type Decision, type Known } from '../../../src/service/intent/match/index.ts'
import type { Candidate } from '../../../src/service/intent/types.ts'

// oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
const rule = (text: string) => ({ kind: 'CRITERION_KIND_RULE' as const, text, given: '', when: '', then: '' })

function existing(number: number, statement: string, more: Partial<Known> = {}): Known {
  const key = `REQ-${String(number)}`
  return {
    id: `id-${key}`,
    key,
    ordinal: 0,
    title: statement.slice(0, 40),
    statement,
    criteria: [],
    isDeprecated: false,
    isGroup: false,
    ...more,
  }
}

function candidate(ordinal: number, statement: string, more: Partial<Candidate> = {}): Candidate {
  return {
    ordinal,
    title: statement.slice(0, 120),
    statement,
    criteria: [],
    pattern: 'PATTERN_RFC2119',
    modality: 'MODALITY_MUST',
    kind: 'REQUIREMENT_KIND_FUNCTIONAL',
    priority: 'PRIORITY_HIGH',
    confidence: 0.7,
    tags: [],
    keys: [...statement.matchAll(/REQ-\d+/g)].map(([key]) => key),
    retires: /\bno longer\b|^drop\b/i.test(statement),
    headings: [],
    source: { document: 0, lineStart: ordinal, lineEnd: ordinal, quote: statement },
    lint: [],
    ...more,
  }
}

const shop = [
  existing(1, 'The session must end after 30 seconds of inactivity.', { title: 'Session timeout' }),
  existing(2, 'The shop must send an order confirmation by email.', { title: 'Order confirmation' }),
  existing(3, 'Customers must be able to pay by invoice.', { title: 'Payment by invoice' }),
  existing(4, 'The system must export orders as CSV.', { title: 'CSV export' }),
  existing(5, 'Guests must be able to see the wish list.', { title: 'Wish list', isDeprecated: true }),
  existing(9, 'A voucher must be valid for 12 months.', {
    title: 'Vouchers',
    criteria: [rule('An expired voucher is refused.')],
  }),
]

async function match(...statements: (string | Candidate)[]): Promise<Decision[]> {
  const candidates = statements.map((one, index) => (typeof one === 'string' ? candidate(index + 1, one) : one))
  return matchCandidates(candidates, shop, () => Promise.resolve())
}

async function matchOne(statement: string, more: Partial<Candidate> = {}) {
  const [decision] = await match(candidate(1, statement, more))
  const { action, matched, differences, texts, criteria, error } = decision!
  return { action, key: matched?.known.key, differences, texts, criteria: criteria.map(({ text }) => text), error }
}

test('a paraphrase is a duplicate, and so is a sentence that the text has twice', async () => {
  expect(await matchOne('An order confirmation must be sent by the shop via e-mail.')).toMatchObject({
    action: 'DUPLICATE',
    key: 'REQ-2',
  })
  const [first, second] = await match('The cart must show the tax.', 'The tax must be shown in the cart.')
  expect([first?.action, second?.action]).toEqual(['CREATE', 'DUPLICATE'])
  expect(second?.matched?.known.ordinal).toBe(1)
})

test('what is not there is created', async () => {
  expect(await matchOne('The checkout must accept gift cards.')).toMatchObject({ action: 'CREATE', error: '' })
})

test('another number is drafted as a change that needs a decision', async () => {
  expect(await matchOne('The session must end after 60 seconds of inactivity.')).toEqual({
    action: 'CONFLICT',
    key: 'REQ-1',
    differences: ['30 seconds became 60 seconds'],
    texts: { statement: 'The session must end after 60 seconds of inactivity.' },
    criteria: [],
    error: '',
  })
})

test.each([
  'Raise the session timeout from 30 to 60 seconds.',
  'Please change the timeout of the session from 30 seconds to 60 seconds.',
  'The session timeout must be raised from 30 to 60 seconds.',
  'Set the session timeout to 60 seconds.',
  'The session timeout becomes 60 seconds.',
  'In REQ-1 the limit must be 60 seconds.',
  'Extend REQ-1 from 30 to 60 seconds.',
  'We agreed to raise the session timeout from 30 to 60 seconds.',
])('"%s" changes the value in the words of the requirement', async (sentence) => {
  expect(await matchOne(sentence)).toEqual({
    action: 'CONFLICT',
    key: 'REQ-1',
    differences: ['30 seconds became 60 seconds'],
    texts: { statement: 'The session must end after 60 seconds of inactivity.' },
    criteria: [],
    error: '',
  })
})

test('a change whose old value is not that of the requirement says so', async () => {
  const { action, differences } = await matchOne('Raise the session timeout from 45 to 60 seconds.')
  expect({ action, differences }).toEqual({
    action: 'CONFLICT',
    differences: ['30 seconds became 60 seconds', 'the text gives 45 as the old value, REQ-1 has 30 seconds'],
  })
})

test('a change of a word is drafted too, and one that was made already is a duplicate', async () => {
  expect(await matchOne('Replace CSV with JSON.')).toMatchObject({
    action: 'CONFLICT',
    key: 'REQ-4',
    texts: { statement: 'The system must export orders as JSON.', title: 'JSON export' },
  })
  expect(await matchOne('Set the session timeout to 30 seconds.')).toMatchObject({ action: 'DUPLICATE', key: 'REQ-1' })
})

test('a change that fits no requirement is an error, never a new requirement', async () => {
  expect(await matchOne('Raise the password length from 8 to 12 characters.')).toMatchObject({
    action: 'ERROR',
    error: 'No requirement matches what is to change; name its key, such as REQ-12.',
  })
})

test('"instead of" names the old value of the statement', async () => {
  expect(await matchOne('The session must end after 60 seconds of inactivity instead of 30 seconds.')).toMatchObject({
    action: 'CONFLICT',
    differences: ['30 seconds became 60 seconds'],
    texts: { statement: 'The session must end after 60 seconds of inactivity.' },
  })
})

test('a key that does not exist is an error that names the nearest keys', async () => {
  expect(await matchOne('REQ-7: the cart must show the tax.')).toMatchObject({
    action: 'ERROR',
    error: 'REQ-7 does not exist; the nearest keys are REQ-5 and REQ-9. Leave the key out to draft it as new.',
  })
  expect(await matchOne('REQ-99 is no longer needed.')).toMatchObject({
    action: 'ERROR',
    error: 'REQ-99 does not exist; the nearest key is REQ-9. Leave the key out to draft it as new.',
  })
})

test('criteria that a requirement does not have are added to it', async () => {
  const voucher = { criteria: [rule('An expired voucher is refused.'), rule('A voucher is sent as PDF.')] }
  expect(await matchOne('A voucher must be valid for one year.', voucher)).toMatchObject({
    action: 'UPDATE',
    key: 'REQ-9',
    criteria: ['A voucher is sent as PDF.'],
  })
  expect(await matchOne('REQ-2: the email must name the delivery address.')).toMatchObject({
    action: 'UPDATE',
    criteria: ['The email must name the delivery address.'],
  })
})

test('a requirement that no longer holds is retired, by its key or by what it says', async () => {
  expect(await matchOne('REQ-3 is no longer needed.')).toMatchObject({ action: 'RETIRE', key: 'REQ-3' })
  expect(await matchOne('Customers can no longer pay by invoice.')).toMatchObject({ action: 'RETIRE', key: 'REQ-3' })
  expect(await matchOne('Drop the CSV export.')).toMatchObject({ action: 'RETIRE', key: 'REQ-4' })
  expect(await matchOne('The wish list is no longer needed.')).toMatchObject({ action: 'DUPLICATE', key: 'REQ-5' })
})

test('a retirement that fits several requirements is a question, and one that fits none an error', async () => {
  const twins = [existing(1, 'The shop must show prices in euros.'), existing(2, 'The app must show prices in euros.')]
  const [decision] = await matchCandidates([candidate(1, 'Prices in euros are no longer shown.')], twins, () =>
    Promise.resolve(),
  )
  expect(decision).toMatchObject({ action: 'ERROR' })
  expect(decision?.error).toContain('REQ-1, REQ-2')
  expect(await matchOne('Drop the loyalty program.')).toMatchObject({ action: 'ERROR' })
})

test('the next sentence gives the replacement of a retired requirement', async () => {
  const [retired] = await match(
    'Drop the CSV export.',
    'Orders must be exported as a spreadsheet with formulas instead.',
  )
  expect(retired?.replacement).toEqual({ ordinal: 2 })
  const [byKey] = await match('REQ-3 is superseded by REQ-9 and no longer holds.')
  expect(byKey?.replacement).toMatchObject({ known: { key: 'REQ-9' } })
  const [alone] = await match('Drop the CSV export.', 'The checkout must accept gift cards.')
  expect(alone?.replacement).toBeUndefined()
})

test('a deprecated requirement is never a duplicate', async () => {
  expect(await matchOne('Guests must be able to see the wish list.')).toMatchObject({
    action: 'CREATE',
    key: 'REQ-5',
    differences: ['REQ-5 says this, but is deprecated'],
  })
})

test('another demand on the same topic is a requirement of its own', async () => {
  expect(await matchOne('The shop must send a shipping notice by email.')).toMatchObject({ action: 'CREATE' })
})

test('a text that changes a requirement in two ways is told so, and in the same way twice is a duplicate', async () => {
  const [first, same, other] = await match(
    'The session must end after 60 seconds of inactivity.',
    'After one minute of inactivity the session must end.',
    'The session must end after 90 seconds of inactivity.',
  )
  expect(first?.action).toBe('CONFLICT')
  expect(other).toMatchObject({ action: 'ERROR', error: 'Proposal 1 changes REQ-1 otherwise; leave one of the two.' })
  expect([first?.action, same?.action]).toEqual(['CONFLICT', 'DUPLICATE'])
})

test('which of two named requirements goes is not guessed', async () => {
  const [both] = await match('REQ-3 and REQ-4 are no longer needed.')
  expect(both).toMatchObject({ action: 'ERROR' })
  const [turned] = await match('REQ-9 replaces REQ-3, which is no longer needed.')
  expect(turned).toMatchObject({
    action: 'RETIRE',
    matched: { known: { key: 'REQ-3' } },
    replacement: { known: { key: 'REQ-9' } },
  })
})

test('an item with a key is the requirement in its new words', async () => {
  const item = { pattern: 'PATTERN_ITEM' as const, keys: ['REQ-2'], title: 'Order confirmation' }
  expect(await matchOne('Each paid order is confirmed by SMS.', item)).toMatchObject({
    action: 'CONFLICT',
    key: 'REQ-2',
    differences: ['the wording changed'],
    texts: { statement: 'Each paid order is confirmed by SMS.' },
  })
  const titled = { ...item, keys: ['REQ-1'], title: 'The limit is 60 seconds' }
  expect(await matchOne('', titled)).toMatchObject({
    action: 'CONFLICT',
    key: 'REQ-1',
    texts: { statement: 'The session must end after 60 seconds of inactivity.' },
  })
})

test('a half of a sentence that a requirement has as a whole is a duplicate', async () => {
  const whole = 'The system must keep paid orders and send the mail again within 60 minutes.'
  const known = [existing(1, 'The system shall keep paid orders, and send the mail again within 1 hour.')]
  const half = candidate(1, 'The system must keep paid orders.', {
    source: { document: 0, lineStart: 1, lineEnd: 1, quote: whole },
  })
  const [decision] = await matchCandidates([half], known, () => Promise.resolve())
  expect(decision).toMatchObject({ action: 'DUPLICATE', matched: { known: { key: 'REQ-1' } } })
})

test('a title counts as what the requirement says, and a group only by its key', async () => {
  const known = [
    existing(1, 'A cart is quoted without tax where customs collect it.', {
      title: 'Orders to Norway carry no tax of ours',
    }),
    existing(2, '', { title: 'Customers pay their orders once', isGroup: true }),
  ]
  const [norway, group] = await matchCandidates(
    [
      candidate(1, 'Orders to Norway must carry no tax of ours.'),
      candidate(2, 'Customers must pay their orders twice.'),
    ],
    known,
    () => Promise.resolve(),
  )
  expect(norway).toMatchObject({ action: 'DUPLICATE', matched: { known: { key: 'REQ-1' } } })
  expect(group).toMatchObject({ action: 'CREATE', matched: undefined })
})

test('"must no longer" forbids something new where nothing demands it', async () => {
  expect(await matchOne('A gift card must no longer be combined with a discount.')).toMatchObject({ action: 'CREATE' })
})

test('a number of times is changed where the old number is, and "one" is no number', async () => {
  const known = [
    existing(1, 'The cart must add an article again.', { title: 'The same article twice is one line' }),
    existing(2, 'The shop must ask the provider again, at most 3 times for one order.'),
  ]
  const [decision] = await matchCandidates([candidate(1, 'Increase the number of retries from 3 to 5.')], known, () =>
    Promise.resolve(),
  )
  expect(decision).toMatchObject({
    action: 'CONFLICT',
    texts: { statement: 'The shop must ask the provider again, at most 5 times for one order.' },
  })
})

test('a contradiction is drafted in its own words, and "instead of 30" names the old value of 30 minutes', async () => {
  const known = [existing(1, 'The server must end a session 30 minutes after its last request.')]
  const statement = 'The server must end a session 45 minutes after its last request instead of 30.'
  const quote = `We want to lower it for everyone who pays: ${statement}`
  const one = { ...candidate(1, statement), source: { document: 0, lineStart: 1, lineEnd: 1, quote } }
  const [decision] = await matchCandidates([one], known, () => Promise.resolve())
  expect(decision).toMatchObject({
    action: 'CONFLICT',
    texts: { statement: 'The server must end a session 45 minutes after its last request.' },
    differences: ['30 minutes became 45 minutes'],
  })
})

test('a title with the old value keeps its words and gets the new value', async () => {
  const known = [existing(1, 'Parcels must ship free from a subtotal of 50.00 euros on.', { title: 'Free from 50 on' })]
  const [decision] = await matchCandidates(
    [candidate(1, 'Parcels must ship free from a subtotal of 40.00 euros on.')],
    known,
    () => Promise.resolve(),
  )
  expect(decision).toMatchObject({ action: 'CONFLICT', texts: { title: 'Free from 40.00 on' } })
})
