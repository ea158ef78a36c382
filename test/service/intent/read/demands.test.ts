import { expect, test } from 'vitest'
import { read } from './reading.ts'

/** Each demand that the text states, as `MODALITY statement`. */
async function demands(content: string, mediaType: 'text/markdown' | 'text/plain' = 'text/plain'): Promise<string[]> {
  const { candidates } = await read(content, mediaType)
  return candidates.map(({ modality, statement }) => `${modality.slice('MODALITY_'.length)} ${statement}`)
}

test.each([
  [
    'The API must not expose card numbers, and must log every refund.',
    ['MUST_NOT The API must not expose card numbers.', 'MUST The API must log every refund.'],
  ],
  [
    'When a voucher expires, the cart shall reject it and show the date.',
    [
      'MUST When a voucher expires, the cart shall reject it.',
      'MUST When a voucher expires, the cart shall show the date.',
    ],
  ],
  [
    'The app shall validate the address; it should store it.',
    ['MUST The app shall validate the address.', 'SHOULD The app should store it.'],
  ],
  ['The log must show name and address.', ['MUST The log must show name and address.']],
  [
    'The form must refuse a code that does not exist, and it must say so next to the field.',
    ['MUST The form must refuse a code that does not exist, and it must say so next to the field.'],
  ],
  ['The app must let users view and edit orders.', ['MUST The app must let users view and edit orders.']],
  ['The app must not show and store the key.', ['MUST_NOT The app must not show and store the key.']],
])('joined demands are split where both halves demand something: %s', async (text, expected) => {
  expect(await demands(text)).toEqual(expected)
})

test.each([
  ['No client may read the log.', 'MUST_NOT'],
  ['The key cannot be read by customers.', 'MUST_NOT'],
  ['The key must never leave the phone.', 'MUST_NOT'],
  ['A reason is not required.', 'MAY'],
  ['The cart SHOULD NOT be emptied.', 'SHOULD_NOT'],
  ['Customers can combine two vouchers.', 'MAY'],
  ['The mail needs to name the amount.', 'MUST'],
])('the modality of "%s" is %s', async (text, modality) => {
  expect(await demands(text)).toEqual([`${modality} ${text}`])
})

test.each([
  'Should the cart keep items?',
  'I think we should discuss the timeout.',
  'We used to allow three vouchers, that must change.',
  'For example, the cart may hold items.',
  'Hello, you must be Ana.',
  'We should talk about GDPR next week.',
  'We agreed to meet on Monday.',
  'We decided to review the design first.',
  'The keyword "MUST" is defined elsewhere.',
  'The process that must run is described below.',
])('"%s" demands nothing', async (text) => {
  expect(await demands(text)).toEqual([])
})

test.each([
  ['Drop support for fax receipts.', []],
  ['Retire REQ-9.', ['REQ-9']],
  ['We no longer need REQ-7 and req-8.', ['REQ-7', 'REQ-8']],
  ['The shop must stop sending faxes.', []],
  ['We agreed to stop sending faxes.', []],
  ['Get rid of the printed invoice.', []],
])('"%s" gives something up', async (text, keys) => {
  const { candidates } = await read(text, 'text/plain')
  expect(candidates.map((one) => [one.retires, one.keys])).toEqual([[true, keys]])
})

test.each([
  'Please raise the timeout from 30 to 60 seconds.',
  'We want to raise the timeout from 30 to 60 seconds.',
  'We agreed to raise the timeout from 30 to 60 seconds.',
  'We have decided to raise the timeout from 30 to 60 seconds.',
])('"%s" asks for a change', async (text) => {
  expect(await demands(text)).toEqual([`MUST ${text}`])
})

test('what only goes away in a clause is not given up', async () => {
  const { candidates } = await read('The app must delete files that are no longer used.', 'text/plain')
  expect(candidates.map(({ retires }) => retires)).toEqual([false])
})

test('labels, sections and the text itself say how much something is wanted', async () => {
  const { candidates } = await read(
    `## Decisions

- Refunds only to the original card.

## Nice to have

- Show how much was saved.

## Notes

The warehouse will be closed in December.

Low priority: the page must link to the form.
Decision: sessions expire after 15 minutes.
Action: Jonas writes the copy.
`,
  )
  expect(
    candidates.map(({ modality, priority, confidence, statement }) => [
      modality.slice('MODALITY_'.length),
      priority.slice('PRIORITY_'.length),
      confidence,
      statement,
    ]),
  ).toEqual([
    ['MUST', 'CRITICAL', 0.7, 'Refunds only to the original card.'],
    ['MAY', 'LOW', 0.55, 'Show how much was saved.'],
    ['MUST', 'LOW', 0.7, 'The page must link to the form.'],
    ['MUST', 'HIGH', 0.7, 'Sessions expire after 15 minutes.'],
  ])
})

test.each([
  ['The API must answer with JSON.', 'INTERFACE'],
  ['The page must open within 200 ms.', 'NON_FUNCTIONAL'],
  ['The app must hide the password.', 'SECURITY'],
  ['The app must keep an audit log.', 'COMPLIANCE'],
  ['The cart must keep items.', 'FUNCTIONAL'],
])('the kind of "%s" is %s', async (text, kind) => {
  const { candidates } = await read(text, 'text/plain')
  expect(candidates.map((one) => one.kind)).toEqual([`REQUIREMENT_KIND_${kind}`])
})

test('statements without a demand are read when the caller asks for them', async () => {
  const text = 'The export contains a checksum.'
  const found = async (includeInformative: boolean) =>
    (await read(text, 'text/plain', { includeInformative })).candidates.map(({ confidence }) => confidence)
  expect(await found(false)).toEqual([])
  expect(await found(true)).toEqual([0.5])
})

test('the default priority holds where the text states none', async () => {
  const { candidates } = await read('- The cart must keep items.\n- The cart must warn (P1).\n', 'text/markdown', {
    defaultPriority: 'PRIORITY_LOW',
  })
  expect(candidates.map(({ priority }) => priority)).toEqual(['PRIORITY_LOW', 'PRIORITY_HIGH'])
})

test.each([
  ['Let us write it like this: the shop shall refund the card first.', ['MUST The shop shall refund the card first.']],
  [
    'We also want to lower it: orders must ship free from 40 euros on.',
    ['MUST Orders must ship free from 40 euros on.'],
  ],
  ['If the card is declined: the shop shall stop.', ['MUST If the card is declined: the shop shall stop.']],
  ['Let us keep that out of the release.', []],
  ['The page should show the state of each return.', ['SHOULD The page should show the state of each return.']],
  ['This page should be read first.', []],
  ['Ann: hi\nAnn: so\nMaren: the cart must be small.', ['MUST The cart must be small.']],
])('what people say around a demand is not part of it: %s', async (text, expected) => {
  expect(await demands(text)).toEqual(expected)
})
