import { zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packWithout, unpackBody } from '../../../../../src/service/errors/issues/bodies/body.ts'
import { viewComparedEvents } from '../../../../../src/service/errors/issues/read/compared-events.ts'
import { runRetention } from '../../../../../src/service/errors/issues/retention.ts'
import { startApp } from '../../../../app.ts'
import { dayMs, openRig, type Crash, type Rig } from '../rig.ts'

const context = Array.from(
  { length: 7 },
  (_, line) => `  const line${String(line)} = await readLine(order, ${String(line)})`,
)
const frames = Array.from({ length: 8 }, (_, index) => ({
  filename: `src/part-${String(index)}.ts`,
  function: `part${String(index)}`,
  lineno: 10 + index,
  pre_context: context,
  context_line: `  await part${String(index)}(order)`,
  post_context: context,
  vars: { secret: 'a variable' },
}))

/** An event of one place in the code, of one person. */
function crash(name: string): Crash {
  return {
    payload: {
      exception: { values: [{ type: 'Error', value: `failed for ${name}`, stacktrace: { frames } }] },
      user: { id: name, email: `${name}@mail.example` },
      request: { url: `https://shop.example/${name}`, headers: { cookie: name } },
      breadcrumbs: [{ category: 'http', message: `loaded ${name}`, data: { url: `/${name}` } }],
      extra: { name },
      tags: { name },
    },
  }
}

const packed = (rig: Rig) =>
  rig.db.read.selectFrom('occurrence').select(['body', 'dictionary_id']).orderBy('seq').execute()
const dictionaries = (rig: Rig) => rig.db.read.selectFrom('body_dictionary').selectAll().execute()
const latest = async (rig: Rig) => {
  const [issue] = await rig.issues()
  const input = { id: issue!.id, include_raw: true }
  return (await rig.handlers.getIssue(input, rig.call)).latest_event!
}

test('events of one place in the code are packed with what they share, which is stored once', async () => {
  await using rig = await openRig()
  for (const name of ['ada', 'grace', 'barbara']) await rig.append(crash(name))
  const [shared, ...others] = await dictionaries(rig)
  expect(others).toEqual([])
  const rows = await packed(rig)
  expect(rows.map(({ dictionary_id: id }) => id)).toEqual([shared!.id, shared!.id, shared!.id])
  const text = zstdDecompressSync(shared!.packed)
  for (const { body } of rows) {
    expect(unpackBody(body!, text).event.exceptions[0]!.frames).toHaveLength(8)
    expect(packWithout(body!, text).length).toBeGreaterThan(1.5 * body!.length)
  }
  expect(await latest(rig)).toMatchObject({ user: { email: 'barbara@mail.example' }, tags: [{ key: 'name' }] })
})

test('what is stored for all events holds code, and nothing of a person', async () => {
  await using rig = await openRig()
  await rig.append(crash('ada'))
  const [shared] = await dictionaries(rig)
  const text = zstdDecompressSync(shared!.packed).toString()
  expect(text).toContain('await part3(order)')
  expect(text).not.toContain('ada')
  expect(text).not.toContain('a variable')
})

test('members with the names of code hold nothing of a person where applications write them', async () => {
  await using rig = await openRig()
  const { payload } = crash('ada')
  const written = {
    type: 'ada',
    frames: [{ customer: 'ada' }],
    stacktrace: { frames: [{ filename: 'ada' }] },
    os: 'ada',
  }
  await rig.append({
    payload: {
      ...payload,
      transaction: '/users/ada/orders',
      extra: { ...written, contexts: { os: { name: 'ada' } }, sdk: { name: 'ada' } },
      contexts: { runtime: { name: 'node', version: 'v24.1.0' }, cart: { ...written, runtime: 'ada' } },
      breadcrumbs: [{ category: 'http', data: written }],
    },
  })
  const [shared] = await dictionaries(rig)
  const text = zstdDecompressSync(shared!.packed).toString()
  expect(text).toContain('v24.1.0')
  expect(text).not.toContain('ada')
})

test('a process that starts goes on with what is stored', async () => {
  await using first = await startApp()
  await first.ingest(crash('ada').payload!)
  await using second = await startApp({ dataDir: first.dataDir })
  await second.ingest(crash('grace').payload!)
  const rows = await first.db.read.selectFrom('occurrence').select('dictionary_id').distinct().execute()
  expect(rows).toHaveLength(1)
  expect(await first.db.read.selectFrom('body_dictionary').select('id').execute()).toEqual([
    { id: rows[0]!.dictionary_id },
  ])
})

test('after 30 days later events share what one of them has', async () => {
  await using rig = await openRig()
  await rig.append(crash('ada'))
  rig.clock.now += 29 * dayMs
  await rig.append(crash('grace'))
  rig.clock.now += dayMs
  await rig.append(crash('barbara'))
  const ids = (await packed(rig)).map(({ dictionary_id: id }) => id)
  expect(ids[1]).toBe(ids[0])
  expect(ids[2]).not.toBe(ids[0])
  expect(await dictionaries(rig)).toHaveLength(2)
})

test('what no event needs goes with the last one, and a later event stores its own', async () => {
  await using rig = await openRig()
  await rig.settings({ retention_days: 7 })
  await rig.append(crash('ada'))
  rig.clock.now += 6 * dayMs
  await rig.append(crash('grace'))
  rig.clock.now += 3 * dayMs
  await runRetention(rig.db, rig.clock.now)
  expect(await dictionaries(rig)).toHaveLength(1)
  rig.clock.now += 6 * dayMs
  await runRetention(rig.db, rig.clock.now)
  expect(await dictionaries(rig)).toEqual([])
  expect((await latest(rig)).truncation_signals).toEqual(['event.body:retention:0/1'])
  await rig.append(crash('barbara'))
  expect(await dictionaries(rig)).toHaveLength(1)
  expect(await latest(rig)).toMatchObject({ user: { email: 'barbara@mail.example' } })
})

test('events that the issue of many errors collects store nothing for others', async () => {
  await using app = await startApp({ newIssuesPerHour: 1 })
  for (const name of ['first', 'second', 'third']) {
    const frame = { function: name, filename: `src/${name}.ts`, lineno: 7, in_app: true }
    await app.ingest({ exception: { values: [{ type: name, value: 'failed', stacktrace: { frames: [frame] } }] } })
  }
  const rows = await app.db.read.selectFrom('occurrence').select(['dictionary_id', 'body']).orderBy('seq').execute()
  expect(rows.map(({ dictionary_id: id }) => id !== null)).toEqual([true, false, false])
  expect(rows.slice(1).map(({ body }) => unpackBody(body!).event.exceptions[0]!.type)).toEqual(['second', 'third'])
  expect(await app.db.read.selectFrom('body_dictionary').select('id').execute()).toHaveLength(1)
})

test('events that retention takes while they are read answer as those without a body', async () => {
  await using rig = await openRig()
  for (const name of ['ada', 'grace']) await rig.append(crash(name))
  // What a reader meets that has read the rows before their bodies were removed, and then what the bodies need.
  await rig.db.write((rows) => rows.deleteFrom('body_dictionary').execute())
  const event = await latest(rig)
  expect(event).toMatchObject({ exceptions: [], truncation_signals: ['event.body:retention:0/1'] })
  const issueId = (await rig.issues())[0]!.id
  const listed = async (q: string) => (await rig.handlers.listIssueEvents({ id: issueId, q }, rig.call)).events.length
  expect([await listed('failed for'), await listed('loaded ada')]).toEqual([2, 0])
  const compared = await viewComparedEvents(rig.db.read, {
    symbolicator: rig.symbolicator,
    issueId,
    ids: [event.id],
    maxFrames: 5,
    maxBreadcrumbs: 5,
  })
  expect(compared.events).toMatchObject([{ id: event.id, exceptions: [] }])
})
