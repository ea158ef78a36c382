import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONFIRMATION_MS, mintConfirmation, principalHash, readConfirmation } from '../../../src/mcp/confirm/token.ts'

const secret = 'a secret of the operator, long enough'
const start = Date.parse('2026-11-22T12:00:00Z')
const at = (ms: number) => ({ secret, now: () => start + ms })
const facts = {
  tool: 'delete_requirement',
  args: { requirement: 'REQ-12', reason: 'Replaced by REQ-40 “über”.' },
  principal: principalHash('somebody'),
  product: '1',
  question: {
    asks: 'Delete requirement REQ-12?',
    facts: [{ label: 'links', value: '3' }],
    key: 'REQ-12',
    undo: '',
    state: 'etag-1',
  },
}
const minted = () => mintConfirmation(at(0), facts)

/** What reading a text as a confirmation says. */
function refusal(token: string, key = at(0)): unknown {
  try {
    return readConfirmation(key, token)
  } catch (error) {
    return error
  }
}

describe('a confirmation', () => {
  test('carries the whole call, and each one is another', () => {
    const [one, other] = [minted(), minted()]
    expect(readConfirmation(at(1000), one)).toMatchObject({ ...facts, expiresAt: start + CONFIRMATION_MS })
    expect(readConfirmation(at(0), other).nonce).not.toBe(readConfirmation(at(0), one).nonce)
    expect(one).toMatch(/^c[\w-]+$/)
  })

  test('does not name its principal', () => {
    expect(principalHash('somebody')).not.toContain('somebody')
    expect(principalHash('somebody')).not.toBe(principalHash('somebody else'))
  })

  test('ends after five minutes', () => {
    const token = minted()
    expect(refusal(token, at(CONFIRMATION_MS - 1))).toMatchObject(facts)
    expect(refusal(token, at(CONFIRMATION_MS))).toMatchObject({ code: 'confirmation_expired' })
  })

  test('of a server with another secret is not accepted', () => {
    const other = { ...at(0), secret: 'the secret of somebody else entirely' }
    expect(refusal(minted(), other)).toMatchObject({ reason: 'CONFIRMATION_NOT_SIGNED' })
  })

  test('is refused when any byte of it is changed', () => {
    const changed = fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (where, by) => {
      const [prefix, ...rest] = minted()
      const bytes = Buffer.from(rest.join(''), 'base64url')
      const index = where % bytes.length
      bytes[index] = (bytes[index] ?? 0) ^ by
      expect(refusal(`${prefix ?? ''}${bytes.toString('base64url')}`)).toMatchObject({
        reason: 'CONFIRMATION_NOT_SIGNED',
      })
    })
    fc.assert(changed)
  })

  test('has one text, apart from spaces around it', () => {
    const token = minted()
    expect(refusal(` ${token}\n`)).toMatchObject(facts)
    for (const text of [`${token}A`, `${token}=`, `${token.slice(0, 9)}.${token.slice(9)}`]) {
      expect(refusal(text)).toMatchObject({ reason: 'CONFIRMATION_NOT_SIGNED' })
    }
  })

  test('is never any other text', () => {
    const other = fc.property(fc.string(), (text) => {
      expect(refusal(text)).toMatchObject({ code: 'confirmation_required', reason: 'CONFIRMATION_NOT_SIGNED' })
    })
    fc.assert(other)
  })
})
