import fc from 'fast-check'
import { expect, test } from 'vitest'
import { usualNames } from '../../../../src/contract/environment-names.ts'
import {
  defaultWeight,
  guessKind,
  isKnownEnvironment,
  isKnownRelease,
  nameKey,
} from '../../../../src/service/workspace/releases/rules.ts'

test.each([
  ['production', 'PRODUCTION', 1],
  ['Prod', 'PRODUCTION', 1],
  [' LIVE ', 'PRODUCTION', 1],
  ['prod-eu-1', 'PRODUCTION', 1],
  ['staging', 'STAGING', 0.4],
  ['pre-production', 'STAGING', 0.4],
  ['qa', 'TEST', 0.1],
  ['ci_42', 'TEST', 0.1],
  ['dev.local', 'DEVELOPMENT', 0.05],
  ['preview-123', 'PREVIEW', 0.1],
  ['warehouse', 'OTHER', 0.5],
  ['non-production', 'OTHER', 0.5],
])('%s is guessed to be %s with weight %d', (name, kind, weight) => {
  expect(guessKind(name)).toBe(`ENVIRONMENT_KIND_${kind}`)
  expect(defaultWeight(guessKind(name))).toBe(weight)
})

test('names that differ only in case, spaces around or composition are one', () => {
  expect(nameKey(' Pr\u00e9view ')).toBe(nameKey('PRE\u0301VIEW'))
  expect(nameKey('a b')).not.toBe(nameKey('ab'))
})

test('an environment that only events named is known by a usual name and by nothing else', () => {
  for (const name of Object.values(usualNames).flat()) {
    expect(isKnownEnvironment({ name: name.toUpperCase(), origin: 'ORIGIN_EVENT' })).toBe(true)
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (more) => {
        const longer = `${name}-${more}`
        fc.pre(!Object.values(usualNames).flat().includes(nameKey(longer)))
        expect(isKnownEnvironment({ name: longer, origin: 'ORIGIN_EVENT' })).toBe(false)
      }),
      { numRuns: 10 },
    )
  }
})

test('what a member or a release named is known, and what only events and test runs named is not', () => {
  for (const origin of ['ORIGIN_MANUAL', 'ORIGIN_RELEASE']) {
    expect(isKnownEnvironment({ name: 'anything', origin })).toBe(true)
    expect(isKnownRelease({ origin })).toBe(true)
  }
  for (const origin of ['ORIGIN_EVENT', 'ORIGIN_TEST_RUN']) {
    expect(isKnownRelease({ origin })).toBe(false)
    expect(isKnownEnvironment({ name: 'anything', origin })).toBe(false)
  }
})
