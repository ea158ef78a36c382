import { expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { crash, bundle, eventOf, issuesOf, uploadBuild } from './errors/sourcemaps/symbolicate/shop.ts'

test('a second close waits for the first and writes nothing, also after source maps were used', async () => {
  const built = await bundle('dist/assets/app.js')
  await using app = await startApp()
  await app.ingest(eventOf(crash(built.code, 'https://shop.example/assets/app.js')))
  await uploadBuild(app, { 'assets/app.js': built.code, 'assets/app.js.map': built.map })
  await issuesOf(app)
  await Promise.all([app.service.close(), app.service.close()])
  await app.service.close()
  expect(app.logged).toEqual([])
})
