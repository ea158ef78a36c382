import { expect, test } from 'vitest'
import { openRig, type Crash } from '../rig.ts'

/** The members of one occurrence that are compared, as `getIssueEvent` answers them. */
async function compared(rig: Awaited<ReturnType<typeof openRig>>, id: string, event_id: string) {
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
    breadcrumbs: event.breadcrumbs.slice(-1),
    exceptions: event.exceptions.map(({ type, value, frames }) => ({
      type,
      value,
      frames: frames.map(({ index, function: name, filename, lineno, in_app, vars }) => ({
        index,
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
  const request = { id, event_ids: ids, max_frames: 2, max_breadcrumbs: 1 }
  const { events, unread_ids: unread } = await rig.handlers.getIssueEvents(request, rig.call)
  expect(events.map((event) => event.id)).toEqual(ids)
  expect(unread).toEqual([])
  for (const event of events) expect(event).toMatchObject(await compared(rig, id, event.id))
  expect(events[0]).toMatchObject({ environment: 'qa-7', environment_known: false, tags: [{ value: 'de' }] })
  expect(JSON.stringify(events)).not.toContain('cookie')
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
