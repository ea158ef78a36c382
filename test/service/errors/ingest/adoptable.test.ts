import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { createEnvironment, upsertRelease } from '../../../../src/contract/environments.ts'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'
import { startApp } from '../../../app.ts'
import { EVENT_ID, NOW } from './harness.ts'

const Names = z.object({ environment: createEnvironment.input.shape.name, release: upsertRelease.input.shape.version })

test('whatever an event names, a member can name too, and the name is the same', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(' ', '/', 'a', '\u0000', '\n', '\u0085', '\u00a0'), maxLength: 300 }),
  )
  fc.assert(
    fc.property(text, text, (environment, release) => {
      const facts = { eventId: EVENT_ID, receivedAt: NOW, sizeBytes: 2 }
      const event = normalise({ environment, release }, facts)
      const named = { environment: event.environment, release: event.release || '1.0' }
      expect(Names.parse(named)).toEqual(named)
    }),
  )
})

test('an environment and a release that events made can be adopted', async () => {
  await using app = await startApp()
  const version = `shop@1.0.0+${'b'.repeat(238)}`
  expect(version).toHaveLength(249)
  await app.ingest({ environment: 'feature/cart', release: version })
  const path = `/v1/products/${app.productId}`
  const listed = await app.request<ResponseOf<'listEnvironments'>>('GET', `${path}/environments`)
  const { id, name } = listed.body.environments[0]!
  expect(name).toBe('feature-cart')
  const adopted = await app.request<ResponseOf<'createEnvironment'>>('POST', `${path}/environments`, { name })
  expect(adopted.body.environment).toMatchObject({ id, known: true })
  const release = await app.request<ResponseOf<'upsertRelease'>>('POST', `${path}/releases`, {
    version,
    environment: name,
  })
  expect(release.body).toMatchObject({ created: false, release: { known: true, version } })
})
