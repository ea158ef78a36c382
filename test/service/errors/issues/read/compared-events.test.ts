import { expect, test } from 'vitest'
import { openRig, type Crash } from '../rig.ts'

type Rig = Awaited<ReturnType<typeof openRig>>

/** Occurrences read together, with their frames and breadcrumbs in their places. */
async function readTogether(rig: Rig, id: string, event_ids: string[], options: { max_breadcrumbs?: number } = {}) {
  const answer = await rig.handlers.getIssueEvents({ id, event_ids, max_frames: 2, ...options }, rig.call)
  const events = answer.events.map((event) => ({
    ...event,
    breadcrumbs: event.breadcrumbs.map((place) => answer.breadcrumbs[place]),
    exceptions: event.exceptions.map((exception) => ({
      ...exception,
      frames: exception.frames.map((place) => answer.frames[place]),
    })),
  }))
  return { ...answer, events }
}

/** The members of one occurrence that are compared, as `getIssueEvent` answers them. */
async function compared(rig: Rig, id: string, event_id: string, maxBreadcrumbs: number) {
  const { event } = await rig.handlers.getIssueEvent({ id, event_id, max_frames: 2 }, rig.call)
  const { method, url, query_string } = event.request
  return {
    message_params: event.message_params,
    tags: event.tags,
    contexts: event.contexts,
    extra: event.extra,
    size_bytes: event.size_bytes,
    title: event.title,
    environment: event.environment,
    release_known: event.release_known,
    timestamp: event.timestamp,
    request: { method, url, query_string },
    breadcrumbs: event.breadcrumbs
      .slice(-maxBreadcrumbs)
      .map(({ category, level, message, data }) => ({ category, level, message, data })),
    last_breadcrumb_at: event.breadcrumbs.at(-1)?.timestamp ?? null,
    exceptions: event.exceptions.map(({ type, value, frames }) => ({
      type,
      value,
      frames: frames.map(({ function: name, filename, lineno, in_app, vars }) => ({
        function: name,
        filename,
        lineno,
        in_app,
        vars,
      })),
    })),
  }
}

const crashes: Crash[] = ['de', 'fr', 'it'].map((country, nr) => ({
  ago: nr,
  environment: nr === 0 ? 'qa-7' : 'production',
  release: `1.${String(nr)}`,
  payload: {
    logentry: { message: 'order %s', params: [country] },
    exception: {
      values: [
        { type: 'DbError', value: 'timeout', stacktrace: { frames: [{ function: 'query', filename: 'src/db.ts' }] } },
        {
          type: 'Error',
          value: `no price for ${country}`,
          stacktrace: {
            frames: ['main', 'order', 'price'].map((name, index) => ({
              function: name,
              filename: `src/${name}.ts`,
              lineno: 10 + index,
              in_app: true,
              context_line: 'throw new Error()',
              vars: { country },
            })),
          },
        },
      ],
    },
    breadcrumbs: { values: [{ message: 'cart opened' }, { message: `country is ${country}`, data: { country } }] },
    tags: { country },
    request: { method: 'POST', url: `https://shop.example/${country}`, query_string: 'a=1', headers: { cookie: 'x' } },
    contexts: { browser: { name: 'Firefox' } },
    extra: { lines: nr },
    fingerprint: ['price'],
  },
}))

test('several occurrences say the same as each of them by itself, in the order of their ids', async () => {
  await using rig = await openRig()
  const ids: string[] = []
  for (const crash of crashes) ids.push((await rig.append(crash)).id)
  const { id } = (await rig.issues())[0]!
  const { events, unread_ids: unread } = await readTogether(rig, id, ids, { max_breadcrumbs: 1 })
  expect(events.map((event) => event.id)).toEqual(ids)
  expect(unread).toEqual([])
  for (const event of events) expect(event).toMatchObject(await compared(rig, id, event.id, 1))
  expect(events[0]).toMatchObject({ environment: 'qa-7', environment_known: false, tags: [{ value: 'de' }] })
  expect(JSON.stringify(events)).not.toContain('cookie')
})

test('frames and breadcrumbs that occurrences share are in the answer once', async () => {
  await using rig = await openRig()
  const ids: string[] = []
  for (const crash of [...crashes, { ...crashes[0]!, ago: 3 }]) ids.push((await rig.append(crash)).id)
  const { id } = (await rig.issues())[0]!
  const { events, frames, breadcrumbs } = await readTogether(rig, id, ids)
  // The frame of the query is the same in all; the variables of the others are not.
  expect(frames).toHaveLength(1 + 3 * 2)
  expect(breadcrumbs.map(({ message }) => message)).toEqual([
    'cart opened',
    'country is de',
    'country is fr',
    'country is it',
  ])
  expect(events[3]).toMatchObject(await compared(rig, id, ids[3]!, 100))
})

test('what an SDK sends in another form is read as it is by itself', async () => {
  await using rig = await openRig()
  const frames = [
    { function: 'run', filename: 'app:///src/"run"\\\\.js', lineno: 3, vars: { a: '}]",\\', b: [1, {}] } },
  ]
  const crumbs = [{ message: 'at {"x":1}', timestamp: 1_780_000_000 }]
  const at = { platform: 'javascript', fingerprint: ['same'] }
  const payloads = [
    { ...at, exception: { type: 'Error', value: 'one' }, stacktrace: { frames }, breadcrumbs: crumbs },
    { ...at, exception: [{ type: 'Error', value: 'a "b\\' }], logentry: { message: 'm %s', params: ['\n'] } },
    { ...at, platform: 'native', exception: { type: 'Error', value: 'one' }, stacktrace: { frames }, extra: { n: 12 } },
    { ...at, exception: { type: 'Error', value: 'one' }, stacktrace: { frames }, extra: { n: 1 }, tags: [['a', 'b']] },
    { ...at, message: 'only a message', threads: [{ crashed: true, stacktrace: { frames } }], breadcrumbs: null },
    { ...at, exception: { type: 'Error', value: 'one' }, dist: '{', request: { query_string: { a: 'b' } }, extra: 7 },
  ]
  const ids: string[] = []
  for (const [ago, payload] of payloads.entries()) ids.push((await rig.append({ ago, payload })).id)
  const { id } = (await rig.issues())[0]!
  const { events } = await readTogether(rig, id, ids)
  expect(events).toHaveLength(payloads.length)
  for (const event of events) expect(event).toMatchObject(await compared(rig, id, event.id, 100))
})

test('ids of another issue, of nothing and given twice are left out', async () => {
  await using rig = await openRig()
  const own = await rig.append({ kind: 'a' })
  const other = await rig.append({ kind: 'b', ago: 1 })
  const { id } = (await rig.issues())[0]!
  const event_ids = [other.id, own.id, '00000000-0000-7000-8000-00000000ffff', own.id]
  const { events, unread_ids: unread } = await rig.handlers.getIssueEvents({ id, event_ids }, rig.call)
  expect(events.map((event) => event.id)).toEqual([own.id])
  expect(unread).toEqual([])
})

test('what is beyond a megabyte is named, and can be asked for next', async () => {
  await using rig = await openRig()
  const ids: string[] = []
  for (let nr = 0; nr < 5; nr += 1) {
    ids.push((await rig.append({ ago: nr })).id)
  }
  await rig.db.write((rows) => rows.updateTable('occurrence').set({ size_bytes: 400_000 }).execute())
  const { id } = (await rig.issues())[0]!
  const first = await rig.handlers.getIssueEvents({ id, event_ids: ids }, rig.call)
  expect(first.events.map((event) => event.id)).toEqual(ids.slice(0, 3))
  expect(first.unread_ids).toEqual(ids.slice(3))
  const next = await rig.handlers.getIssueEvents({ id, event_ids: first.unread_ids }, rig.call)
  expect(next.events.map((event) => event.id)).toEqual(ids.slice(3))
  expect(next.unread_ids).toEqual([])
})

test('an occurrence whose body retention has removed says what its summary holds', async () => {
  await using rig = await openRig()
  const { id: eventId } = await rig.append(crashes[1]!)
  await rig.db.write((rows) => rows.updateTable('occurrence').set({ body: null }).execute())
  const { id } = (await rig.issues())[0]!
  const { events } = await rig.handlers.getIssueEvents({ id, event_ids: [eventId] }, rig.call)
  expect(events).toMatchObject([{ id: eventId, release: '1.1', exceptions: [], tags: [], breadcrumbs: [] }])
})

test('an occurrence that was read before is read without what retention has removed since', async () => {
  await using rig = await openRig()
  const ids: string[] = []
  for (const crash of crashes) ids.push((await rig.append(crash)).id)
  const { id } = (await rig.issues())[0]!
  const before = await readTogether(rig, id, ids)
  await rig.db.write(async (rows) => {
    await rows.updateTable('occurrence').set({ body: null }).where('id', '=', ids[0]!).execute()
    await rows.deleteFrom('occurrence').where('id', '=', ids[1]!).execute()
  })
  const { events } = await readTogether(rig, id, ids)
  expect(events).toMatchObject([{ id: ids[0], exceptions: [], tags: [] }, { id: ids[2] }])
  expect(events[1]).toEqual(before.events[2])
})
