import { expect, test } from 'vitest'
import { isKnownSdk } from '../../../../../src/service/errors/issues/record/sdk-names.ts'

test('SDK names are known by their family, whatever integration follows', () => {
  for (const name of [
    'sentry.javascript.node',
    'sentry.python',
    'sentry.python.django',
    'raven-python',
    'sentry.php.laravel',
  ]) {
    expect([name, isKnownSdk(name)]).toEqual([name, true])
  }
  for (const name of ['', 'sentry', 'sentry.', 'sentry.evil', 'my.javascript', 'javascript']) {
    expect([name, isKnownSdk(name)]).toEqual([name, false])
  }
})
