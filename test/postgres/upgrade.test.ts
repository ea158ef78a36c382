import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ResponseOf } from '../../src/contract/index.ts'
import { flood } from '../bench/support/flood/flood.ts'
import { compare } from '../bench/suites/crash/stored.ts'
import { temporaryFolder } from '../cli/run.ts'
import { eventually, serve, type Served } from '../serve.ts'
import { createDatabase, runStatement } from './databases.ts'
import { buildVersions, type Versions } from './versions.ts'

const folder = temporaryFolder()
let versions: Versions
beforeAll(async () => {
  versions = await buildVersions(folder.path)
})
afterAll(() => folder[Symbol.dispose]())

/** A database, and how to start a version on it, in the data directory of one of its processes. */
async function deployment(name: string) {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  const start = async (main: string, place: string): Promise<Served> => {
    const served = await serve({
      main,
      dataDir: join(folder.path, `${name}-${place}`),
      env: {
        TRACEGATE_DATABASE_URL: url,
        TRACEGATE_SECRET: 'a secret that all processes have',
        TRACEGATE_LOG_LEVEL: 'error',
        TRACEGATE_NEW_ISSUES_PER_HOUR: '0',
      },
    })
    onTestFinished(() => served[Symbol.asyncDispose]())
    return served
  }
  return { url, start }
}

test('an older process goes on while a newer one migrates, both answer, and no acknowledged event is lost', async () => {
  const { url, start } = await deployment('rolling')
  const older = await start(versions.current, 'one')
  await runStatement(url, 'UPDATE dsn_key SET rate_per_second = 0')
  let number = 0
  const next = () => (number += 1)
  const stop = new AbortController()
  const toOlder = flood(older.endpoints, next, stop.signal)
  await eventually('events before', () => Promise.resolve(number > 200 || undefined))
  const newer = await start(versions.next, 'other')
  const atStart = number
  const toNewer = flood(newer.endpoints, next, stop.signal)
  await eventually('events after', () => Promise.resolve(number > atStart + 400 || undefined))
  stop.abort()
  const floods = await Promise.all([toOlder, toNewer])
  expect(floods.map(({ open }) => open)).toEqual([[], []])
  const acknowledged = floods.flatMap((each) => each.acknowledged)
  for (const served of [older, newer]) {
    expect(await compare(served, acknowledged)).toEqual({ lost: 0, doubled: 0, miscounted: [] })
  }
})

test('the older version starts again on the newer schema, so that an upgrade can be taken back', async () => {
  const { start } = await deployment('back')
  const newer = await start(versions.next, 'one')
  const list = '/v1/products/1/requirements'
  const { requirement } = await newer.rest<ResponseOf<'createRequirement'>>('POST', list, { title: 'Totals are exact' })
  await newer[Symbol.asyncDispose]()
  const older = await start(versions.current, 'one')
  expect(await older.rest('GET', `/v1/requirements/${requirement.id}`)).toMatchObject({ requirement })
  await older.rest('POST', list, { title: 'Carts are kept' })
})

test('after a migration that breaks with older versions, none of them starts, and the reason is said', async () => {
  const { start } = await deployment('broken')
  await start(versions.breaking, 'one')
  await expect(start(versions.current, 'other')).rejects.toThrow('start the newer program')
  await expect(start(versions.next, 'other')).rejects.toThrow('start the newer program')
  await start(versions.breaking, 'other')
})
