import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findAnswers } from '../../../../src/service/quality/test-ingest/run-places.ts'

const names = ['sender', 'environment_id', 'version', 'commit_sha'] as const
const one = fc.constantFrom('', 'a', 'b')
const place = { git_branch: one, sender: one, environment_id: one, version: one, commit_sha: one }
const status = fc.constantFrom('RESULT_STATUS_PASSED', 'RESULT_STATUS_ERROR', 'RESULT_STATUS_FAILED')
const result = fc.record({ ...place, run_id: fc.constant('1'), status, executed_at: fc.integer({ min: 0, max: 9 }) })

test('an error is answered by a later pass that every scope of both has', () => {
  const property = fc.property(fc.array(result), fc.record(place), (results, own) => {
    const isAnswered = findAnswers(results, own)
    for (const error of results)
      expect(isAnswered(error)).toBe(
        results.some(
          (later) =>
            later.status === 'RESULT_STATUS_PASSED' &&
            later.executed_at > error.executed_at &&
            [error.git_branch, own.git_branch].includes(later.git_branch) &&
            names.every((name) => error[name] !== own[name] || later[name] === own[name]),
        ),
      )
  })
  fc.assert(property, { numRuns: 500 })
})

test('looks at each of thousands of results a few times, not once for each error', () => {
  let reads = 0
  const place = { sender: 'ci', environment_id: '', version: '', commit_sha: '' }
  const results = Array.from({ length: 3000 }, (_, index) => ({
    ...place,
    run_id: String(index),
    status: index % 2 === 0 ? ('RESULT_STATUS_ERROR' as const) : ('RESULT_STATUS_PASSED' as const),
    get git_branch() {
      reads += 1
      return `branch ${String(index)}`
    },
    executed_at: index,
  }))
  results.forEach(findAnswers(results, { ...place, git_branch: 'main' }))
  expect(reads).toBeLessThan(5 * results.length)
})
