import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'

test('a service is ready until it is told to stop', async () => {
  await using app = await startApp()
  expect(await app.service.readinessProblem()).toBeUndefined()
  app.service.endStreams()
  expect(await app.service.readinessProblem()).toBe('the service is stopping')
})

test('a service whose database does not answer is not ready', async () => {
  const app = await startApp()
  await app.close()
  expect(await app.service.readinessProblem()).toBe('the database does not answer')
})
