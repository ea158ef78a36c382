import { dirname } from 'node:path'
import { expect, inject, test } from 'vitest'
import { serverFolder } from './machine.ts'

test('the server and the programs beside it keep their files in folders of the test run', () => {
  const ofRun = /tracegate-tests-\d+-\w+$/
  expect(inject('sharedFolder')).toMatch(ofRun)
  expect(dirname(serverFolder())).toMatch(ofRun)
  expect(dirname(dirname(serverFolder()))).toBe(dirname(inject('sharedFolder')))
})
