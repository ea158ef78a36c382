import { expect, test } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { errorText, describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'

const list = { offers: (tool: string) => tool === 'find_error_issues', pinned: false }
const next = { tool: 'find_error_issues', why: 'lists issues', args: { product: '1', period: '30d' } }

test('an error says what was sent, what is valid and the next call', () => {
  const error = new TeachingError('not_found', 'error issue not found in product "Storefront"', {
    sent: `issue = ${describeValue('0'.repeat(32))}`,
    expected: 'an error-issue id, as in find_error_issues rows[].id',
    next,
  })
  expect(errorText(error, list)).toMatchInlineSnapshot(`
    "error: error issue not found in product "Storefront" (not_found, not retryable)
    you sent: issue = 32 hex characters, which looks like an SDK event_id
    expected: an error-issue id, as in find_error_issues rows[].id
    next: find_error_issues {"product":"1","period":"30d"}"
  `)
  expect(errorText(error, { ...list, pinned: true })).toContain('next: find_error_issues {"period":"30d"}')
  expect(errorText(error, { ...list, offers: () => false })).toContain('next: Check the id')
})

test('an error of the service names its code, its reason and when to repeat', () => {
  const limited = new ServiceError('resource_exhausted', 'too many calls', { retryAfterSeconds: 3 })
  expect(errorText(limited, list)).toContain('(rate_limited, retry after 3 s)')
  const eyes = new ServiceError('failed_precondition', 'a second person', { reason: 'FOUR_EYES_REQUIRED' })
  expect(errorText(eyes, list)).toContain('(failed_precondition: FOUR_EYES_REQUIRED, not retryable)')
})

test('a bug tells nothing', () => {
  expect(errorText(new Error('secret db password at /srv/app'), list)).toBe(
    'error: something broke inside Tracegate (internal, not retryable)',
  )
})

test('no error is longer than 600 characters, and the next step is never what is cut', () => {
  const error = new TeachingError('ambiguous_name', 'm'.repeat(5000), { expected: 'e'.repeat(5000), sent: 's', next })
  const text = errorText(error, list)
  expect(text.length).toBeLessThanOrEqual(600)
  expect(text.split('\n').at(-1)).toBe('next: find_error_issues {"product":"1","period":"30d"}')
})

test('of a long or odd text only its length is said', () => {
  expect(describeValue('<script>')).toBe('a text of 8 characters')
  expect(describeValue('prodction')).toBe('"prodction"')
})
