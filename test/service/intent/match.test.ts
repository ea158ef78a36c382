import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareStatements, type Statement } from '../../../src/service/intent/match/index.ts'

const compare = (before: string, after: string) => compareStatements(said(before), said(after))

function said(statement: string): Statement {
  return { title: '', statement }
}

test.each([
  [
    'After 5 unsuccessful sign-in attempts, the account must be locked by the system.',
    'The system shall lock the account after five failed login attempts.',
  ],
  ['The API must respond within 2 seconds.', 'The API shall answer in no more than 2000 ms.'],
  [
    'The session shall expire after 30 minutes of inactivity.',
    'After half an hour of inactivity, the session must expire.',
  ],
  ['Passwords must be at least 12 characters long.', 'A password must have a minimum length of 12 characters.'],
  ['The upload must not exceed 10 MB.', 'Uploads must be at most 10 megabytes.'],
  ['Administrators may disable user accounts.', 'Admins are allowed to disable the accounts of users.'],
  ['The server must authenticate the client.', 'The client must be authenticated by the server.'],
  ['The log must be saved before the user is logged out.', 'The user must be logged out after the log is saved.'],
  ['Orders over 50 EUR ship for free.', 'Shipping is free for orders of more than €50.'],
  ['Discount codes may be used only once.', 'A discount code may only be used one time.'],
  ['The shop must allow customers to save a cart.', 'Customers must be able to save a cart.'],
  ['The app must let users hide the map.', 'Users must be able to hide the map.'],
  ['The service must not fail to answer.', 'The service must answer.'],
  ['Keys must never be stored without encryption.', 'Keys must be stored only with encryption.'],
  ['Orders must not be shipped without a label.', 'Orders must be shipped only with a label.'],
])('"%s" and "%s" say the same', (one, other) => {
  expect(compare(one, other)).toMatchObject({ verdict: 'duplicate', differences: [] })
})

test.each([
  ['The session ends after 30 seconds.', 'The session ends after 60 seconds.', '30 seconds became 60 seconds'],
  ['The session ends after 30 seconds.', 'The session ends after 30 minutes.', '30 seconds became 30 minutes'],
  ['Confirm the order twice.', 'Confirm the order three times.', '2 times became 3 times'],
  ['At most 5 requests per minute are sent.', 'At most 5 requests per hour are sent.', '1 minute became 1 hour'],
  ['The user must log in.', 'The user should log in.', 'must became should'],
  ['Card numbers must be stored.', 'Card numbers must never be stored.', 'it was negated'],
  ['Users must be at least 18 years old.', 'Users must be at most 18 years old.', 'at least became at most'],
  ['Accounts must be enabled by default.', 'Accounts must be disabled by default.', 'enabled became disabled'],
  ['Stored cards must be encrypted.', 'Stored cards must be unencrypted.', 'encrypted became unencrypted'],
  ['Notify the owner before deletion.', 'Notify the owner after deletion.', 'before became after'],
  [
    'The client must authenticate the server.',
    'The server must authenticate the client.',
    'client and server swapped roles',
  ],
  [
    'The password is checked if the form is sent.',
    'The password is checked unless the form is sent.',
    'unless was added',
  ],
  ['The status page must show "Paid" then.', 'The status page must show "Open" then.', 'Paid became Open'],
  ['The nightly job runs in staging.', 'The nightly job runs in production.', 'staging became production'],
  ['The pump must stop at 80 °C.', 'The pump must stop at 80 °F.', '80 °c became 80 °f'],
  [
    'The app must not stop and must start without a key.',
    'The app must stop and must start with a key.',
    'it is no longer negated',
  ],
  ['The key must not be stored without a lock.', 'The key must not be stored with a lock.', 'it was negated'],
  ['Three mails of 5 users wait.', 'Five mails of 3 users wait.', '3 mails became 5 mails'],
  ['The job runs at 10:00.', 'The job runs at 22:00.', '10:00 became 22:00'],
])('"%s" and "%s" contradict each other', (before, after, difference) => {
  const { verdict, differences } = compare(before, after)
  expect(differences).toContain(difference)
  expect(verdict).toBe('conflict')
})

test('a long sentence with another word in one place is related, never a duplicate', () => {
  const about = (event: string) =>
    `The system must send an email with the invoice to the buyer when an order is ${event}.`
  expect(compare(about('shipped'), about('refunded')).verdict).toBe('related')
})

test.each([
  ['All orders must be shown.', 'All open orders must be shown.'],
  ['Customers must get a discount.', 'Premium customers must get a discount.'],
  ['The app must send notifications.', 'The app must send email notifications.'],
  ['The order history must list all orders.', 'The order history must list all returns.'],
  ['The report must be sent to the customer.', 'The report must be sent by the customer.'],
  ['The log must be readable.', 'The log must be readable by auditors.'],
  ['The report must contain at most 5 rows.', 'At most 5 columns must be contained in the report.'],
])('"%s" and "%s" are related: one of them is narrower or about something else', (one, other) => {
  expect(compare(one, other).verdict).toBe('related')
  expect(compare(other, one).verdict).toBe('related')
})

test('statements about different things are different', () => {
  expect(compare('The checkout must accept credit cards.', 'The user can reset the password by email.').verdict).toBe(
    'different',
  )
})

test('a requirement that has only a title is compared by its title', () => {
  const titled = { title: 'Lock the account after 5 failed logins', statement: '' }
  const full = { title: 'Account lock', statement: 'The system must lock the account after five failed logins.' }
  expect(compareStatements(full, titled).verdict).toBe('duplicate')
})

const parts = {
  subject: [
    'the checkout',
    'an administrator',
    'each export of orders',
    'the payment provider',
    'a registered customer',
  ],
  verb: ['show', 'keep', 'send', 'archive', 'accept', 'retry', 'encrypt'] as const,
  object: [
    'invoices',
    'the order history',
    'uploaded images',
    'password reset links',
    'messages to the buyer',
    'zorbs',
  ],
  modal: ['must', 'should', 'may'],
  negation: ['', 'not', 'never'],
  comparator: ['for', 'for at least', 'for at most', 'for more than', 'for less than', 'for exactly'],
  number: ['2', '3', '5', '30', '60', 'seven', 'forty-two', 'a dozen', 'one hundred and twenty', '2.5', '10,000'],
  unit: ['seconds', 'minutes', 'hours', 'days', 'months', 'MB', 'GB', 'percent', 'euros'],
  tail: ['', ' when the order is paid', ' if the customer agrees', ' unless the cart is empty', ' after the login'],
}
type Parts = { [K in keyof typeof parts]: (typeof parts)[K][number] }

const participles = {
  show: 'shown',
  keep: 'kept',
  send: 'sent',
  archive: 'archived',
  accept: 'accepted',
  retry: 'retried',
  encrypt: 'encrypted',
}

const numbers = fc.oneof(
  fc.constantFrom(...parts.number),
  fc.integer({ min: 200, max: 999_999 }).map((value) => value.toLocaleString('en')),
)
const anyPart = (name: keyof Parts) => (name === 'number' ? numbers : fc.constantFrom(...parts[name]))
const anyParts = fc.record(
  Object.fromEntries(Object.keys(parts).map((name) => [name, anyPart(name as keyof Parts)])),
) as fc.Arbitrary<Parts>

/** The parts in the active, with the clause first, or in the passive. */
const phrasings: ((one: Parts) => string)[] = [
  (one) => `${one.subject} ${wish(one)} ${one.verb} ${one.object} ${quantity(one)}${one.tail}.`,
  ({ tail, ...one }) =>
    `${tail === '' ? '' : `${tail.trim()}, `}${one.subject} ${wish(one)} ${one.verb} ${one.object} ${quantity(one)}.`,
  (one) => `${one.object} ${wish(one)} be ${participles[one.verb]} by ${one.subject} ${quantity(one)}${one.tail}.`,
]
const wish = ({ modal, negation }: Pick<Parts, 'modal' | 'negation'>) => `${modal} ${negation}`.trim()
const quantity = ({ comparator, number, unit }: Pick<Parts, 'comparator' | 'number' | 'unit'>) =>
  `${comparator} ${number} ${unit}`

const guarded = fc.constantFrom(
  'modal' as const,
  'comparator' as const,
  'number' as const,
  'unit' as const,
  'negation' as const,
)
const saysSame = (one: string, other: string) =>
  one === other || (one !== '' && other !== '' && /^(?:not|never)$/.test(one))

test('statements that differ only in a number, unit, comparator, negation or modality contradict each other, however they are put', () => {
  const values = guarded.chain((name) => fc.record({ name: fc.constant(name), value: anyPart(name) }))
  const twoPhrasings = fc.tuple(fc.constantFrom(...phrasings), fc.constantFrom(...phrasings))
  fc.assert(
    fc.property(anyParts, values, twoPhrasings, (one, { name, value }, [say, sayAgain]) => {
      fc.pre(!saysSame(one[name], value))
      const [before, after] = [say(one), sayAgain({ ...one, [name]: value })]
      const [forth, back] = [compare(before, after), compare(after, before)]
      expect(forth.verdict).toBe('conflict')
      expect(forth.differences).not.toEqual([])
      expect([back.verdict, back.similarity]).toEqual([forth.verdict, forth.similarity])
    }),
    { numRuns: 2000 },
  )
})

const sentence = fc.tuple(anyParts, fc.constantFrom(...phrasings)).map(([one, say]) => say(one))

test('a statement is a duplicate of itself, whatever is in it', () => {
  const anything = fc.oneof(sentence, fc.string({ minLength: 1 }), fc.lorem())
  fc.assert(
    fc.property(anything, (text) => {
      fc.pre(text.trim() !== '')
      expect(compare(text, text)).toMatchObject({ similarity: 1, verdict: 'duplicate', differences: [] })
    }),
    { numRuns: 1000 },
  )
})

test('comparing is symmetric for any two texts', () => {
  const anything = fc.oneof(sentence, fc.lorem(), fc.string())
  fc.assert(
    fc.property(anything, anything, (one, other) => {
      const [forth, back] = [compare(one, other), compare(other, one)]
      expect([back.verdict, back.similarity]).toEqual([forth.verdict, forth.similarity])
    }),
    { numRuns: 1000 },
  )
})
