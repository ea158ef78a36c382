import { allAtOnce } from './reshapings/lossless.ts'

/**
 * The reshapings that `TRACEGATE_TEST_UPSTREAM` names, by commas: `camelCase,int64`, or `all` for as many as go together.
 * None where it is not set: tests then see the embedded service as it is.
 */
export function testUpstream(): readonly string[] {
  const names = process.env['TRACEGATE_TEST_UPSTREAM'] ?? ''
  if (names === 'all') return allAtOnce
  return names.split(',').filter((name) => name !== '')
}
