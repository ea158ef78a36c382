import { expect, test } from 'vitest'
import { startApp } from '../../../../app.ts'
import { bundle, crash, eventOf, issuesOf, latestEvent, uploadBuild } from './shop.ts'

test('a remembered issue has the source maps that another process has just confirmed', async () => {
  const { code, map } = await bundle('dist/assets/app.js')
  await using app = await startApp()
  await app.ingest(eventOf(crash(code, 'https://shop.example/assets/app.js')))
  await using other = await startApp({ dataDir: app.dataDir })
  const id = (await issuesOf(other))[0]!.id
  const mapped = async () => (await latestEvent(other, id)).symbolication.frames_mapped
  expect([await mapped(), await mapped()]).toEqual([0, 0])
  await uploadBuild(app, { 'assets/app.js': code, 'assets/app.js.map': map })
  expect([await mapped(), await mapped()]).toEqual([6, 6])
})
