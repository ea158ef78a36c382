import { dirname } from 'node:path'
import { expect, inject, test } from 'vitest'
import { serverFolder } from './machine.ts'

test('the files of the server, and of programs beside it, are where those of the run are and are removed with them', () => {
  const ofRun = /tracegate-tests-\d+-\w+$/
  expect(inject('sharedFolder')).toMatch(ofRun)
  expect(dirname(serverFolder())).toMatch(ofRun)
  expect(dirname(dirname(serverFolder()))).toBe(dirname(inject('sharedFolder')))
})
