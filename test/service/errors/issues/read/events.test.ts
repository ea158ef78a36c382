import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import { startApp } from '../../../../app.ts'
import { openRig } from '../rig.ts'

const stack = (frames: object[]) => ({
  exception: { values: [{ type: 'Error', value: 'boom', stacktrace: { frames } }] },
})
const frame = (index: number, in_app: boolean) => ({
  function: `f${index}`,
  filename: `src/f${index}.ts`,
  lineno: 1,
  in_app,
})

test('the component of a frame is the current one, and stays with the files that it owns', async () => {
  await using app = await startApp()
  await app.ingest(stack([frame(1, true)]))
  await app.ingest(stack([frame(1, true), frame(1, true)]))
  const issue = (await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)).body
    .issues[0]!
  const { events } = (await app.request<ResponseOf<'listIssueEvents'>>('GET', `/v1/issues/${issue.id}/events`)).body
  const components = async () => {
    const replies = []
    for (const { id } of events)
      replies.push((await app.request<ResponseOf<'getIssueEvent'>>('GET', `/v1/issues/${issue.id}/events/${id}`)).body)
    return replies.map(({ event }) => [
      event.component?.key,
      event.exceptions[0]?.frames.map((one) => one.component?.key),
    ])
  }
  const componentsPath = `/v1/products/${app.productId}/components`
  expect(await components()).toEqual([
    [undefined, [undefined, undefined]],
    [undefined, [undefined]],
  ])
  await app.request('POST', componentsPath, { name: 'All', path_globs: ['src/**'] })
  expect(await components()).toEqual([
    ['all', ['all', 'all']],
    ['all', ['all']],
  ])
  await app.request('POST', componentsPath, { name: 'One', path_globs: ['src/f1.ts'] })
  expect(await components()).toEqual([
    ['one', ['one', 'one']],
    ['one', ['one']],
  ])
})

test('get-issue has the latest occurrence, its neighbours, releases and the component of each frame', async () => {
  await using app = await startApp()
  await app.request('POST', `/v1/products/${app.productId}/components`, { name: 'Cart', path_globs: ['src/cart/**'] })
  const now = Date.now() / 1000
  await app.ingest({ timestamp: now - 20, release: '1.0', environment: 'staging' })
  await app.ingest({ timestamp: now - 10, release: '1.1', environment: 'production', user: { id: 'ada' } })
  const issue = (await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)).body
    .issues[0]!
  const { body } = await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${issue.id}`)
  const latest = body.latest_event!
  expect(latest).toMatchObject({
    environment: 'production',
    environment_known: true,
    release: '1.1',
    release_known: false,
    title: 'TypeError: cart is undefined',
    component: { key: 'cart' },
    next_event_id: '',
    raw_payload: null,
    symbolication: { state: 'SYMBOLICATION_STATE_NOT_NEEDED', frames_total: 1, problems: [] },
  })
  expect(latest.exceptions[0]!.frames[0]).toMatchObject({
    function: 'total',
    repo_path: 'src/cart/cart.ts',
    component: { key: 'cart' },
    grouping_role: 'contributes',
    ignored_reason: '',
  })
  expect(body.releases.map(({ version, environment, events }) => [version, environment, events])).toEqual([
    ['1.1', 'production', 1],
    ['1.0', 'staging', 1],
  ])
  const before = latest.previous_event_id
  const previous = await app.request<ResponseOf<'getIssueEvent'>>(
    'GET',
    `/v1/issues/${issue.id}/events/${before}?include_raw=true`,
  )
  expect(previous.body.event).toMatchObject({
    environment: 'staging',
    previous_event_id: '',
    next_event_id: latest.id,
    raw_payload: { release: '1.0' },
  })
  const there = await app.request<ResponseOf<'getIssue'>>(
    'GET',
    `/v1/issues/${issue.id}?environment_id=${previous.body.event.environment_id}`,
  )
  expect(there.body.latest_event?.id).toBe(before)
})

test('occurrences are filtered by environment, release, period and the id the SDK gave', async () => {
  await using rig = await openRig()
  const sdkId = 'b'.repeat(32)
  await rig.append({ environment: 'staging', release: '1.0', ago: 7_200_000 })
  await rig.append({ environment: 'production', release: '1.0', ago: 1000, id: sdkId })
  await rig.append({ environment: 'production', release: '1.1' })
  const id = (await rig.issues())[0]!.id
  const { releases, latest_event: latest } = await rig.handlers.getIssue({ id }, rig.call)
  const find = async (filter: object) => {
    const { events, pagination } = await rig.handlers.listIssueEvents({ id, ...filter }, rig.call)
    expect(pagination.total_size).toBe(events.length)
    return events.map(({ environment, release }) => `${environment} ${release}`)
  }
  expect(await find({})).toEqual(['production 1.1', 'production 1.0', 'staging 1.0'])
  expect(await find({ environment_id: latest!.environment_id })).toEqual(['production 1.1', 'production 1.0'])
  expect(await find({ release_id: latest!.release_id })).toEqual(['production 1.1'])
  expect(await find({ period: '1h' })).toEqual(['production 1.1', 'production 1.0'])
  const dashed = sdkId.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  expect(await find({ sdk_event_id: dashed })).toEqual(['production 1.0'])
  expect(releases.map(({ events }) => events)).toEqual([1, 1, 1])
})

test('occurrences of a release are all of them, whichever releases are between them and however late they arrive', async () => {
  await using rig = await openRig()
  const days = [3, 1, 8, 0, 5, 2]
  for (const day of days) await rig.append({ release: day % 2 === 0 ? '2.0' : '1.0', ago: day * 86_400_000 })
  // The oldest one again, after all others.
  await rig.append({ release: '1.0', ago: 20 * 86_400_000 })
  const id = (await rig.issues())[0]!.id
  const { events: all } = await rig.handlers.listIssueEvents({ id }, rig.call)
  for (const version of ['1.0', '2.0']) {
    const expected = all.filter(({ release }) => release === version)
    const release_id = expected[0]!.release_id
    const { events, pagination } = await rig.handlers.listIssueEvents({ id, release_id, page_size: 2 }, rig.call)
    expect(events.map((event) => event.id)).toEqual(expected.slice(0, 2).map((event) => event.id))
    expect(pagination.total_size).toBe(expected.length)
    const page_token = pagination.next_page_token
    const next = await rig.handlers.listIssueEvents({ id, release_id, page_size: 10, page_token }, rig.call)
    expect(next.events.map((event) => event.id)).toEqual(expected.slice(2).map((event) => event.id))
  }
  const release_id = '00000000-0000-7000-8000-00000000ffff'
  const none = await rig.handlers.listIssueEvents({ id, release_id }, rig.call)
  expect([none.events, none.pagination.total_size]).toEqual([[], 0])
})

test('occurrences are searched by what tells them apart, over several pages', async () => {
  await using rig = await openRig()
  const amounts = ['1.50', '1.200,50', '2.50', '3.400,00', '4.50', '5.600,00']
  for (const [index, amount] of amounts.entries()) {
    await rig.append({
      ago: index * 1000,
      payload: {
        tags: { browser: index < 3 ? 'Safari' : 'Chrome' },
        request: { url: `https://shop.example/sheets/${String(index)}` },
        breadcrumbs: [
          { category: 'import', message: `the amount "${amount}"`, data: { row: index * 7 } },
          { message: 'end' },
        ],
      },
    })
  }
  const id = (await rig.issues())[0]!.id
  const find = async (q: string) => {
    const { events, pagination } = await rig.handlers.listIssueEvents({ id, q }, rig.call)
    expect(pagination.total_size).toBe(events.length)
    return events.length
  }
  expect(
    await Promise.all([find('BROWSER=safari'), find('00"'), find('row=35'), find('sheets/4'), find('none')]),
  ).toEqual([3, 2, 1, 1, 0])
  const met: string[] = []
  let token = ''
  do {
    const page = await rig.handlers.listIssueEvents({ id, q: '0"', page_size: 2, page_token: token }, rig.call)
    met.push(...page.events.map((event) => event.id))
    token = page.next_page_token
  } while (token !== '')
  expect(new Set(met).size).toBe(6)
  expect(met).toHaveLength(6)
  await rig.db.write((rows) => rows.updateTable('occurrence').set({ body: null }).execute())
  expect([await find('safari'), await find('pay failed')]).toEqual([0, 6])
})

test('an event of another issue, and an id made by an SDK, are not found; the second says how to look it up', async () => {
  await using rig = await openRig()
  const sdkId = 'c'.repeat(32)
  await rig.append({ kind: 'a', id: sdkId })
  const other = await rig.append({ kind: 'b' })
  const id = (await rig.issues())[0]!.id
  await expect(rig.handlers.getIssueEvent({ id, event_id: other.id }, rig.call)).rejects.toMatchObject({
    code: 'not_found',
    reason: 'EVENT_NOT_FOUND',
  })
  await expect(rig.handlers.getIssueEvent({ id, event_id: sdkId }, rig.call)).rejects.toThrow('sdk_event_id')
  await expect(rig.handlers.getIssue({ id: 'SHOP-1' }, rig.call)).rejects.toThrow('no issue SHOP-1')
})

test('when frames are cut the in-app ones nearest to the crash stay, with their own index, and the cut is named', async () => {
  await using rig = await openRig()
  const frames = Array.from({ length: 12 }, (_, index) => frame(index, index % 3 === 0))
  const { id: event_id } = await rig.append({ payload: stack(frames) })
  const id = (await rig.issues())[0]!.id
  const { event } = await rig.handlers.getIssueEvent({ id, event_id, max_frames: 6 }, rig.call)
  expect(event.exceptions[0]!.frames.map(({ index, in_app }) => [index, in_app])).toEqual([
    [0, true],
    [3, true],
    [6, true],
    [9, true],
    [10, false],
    [11, false],
  ])
  expect(event.truncation_signals).toEqual(['exceptions[0].frames:max_frames:6/12'])
})

test('minified frames without a source map say so, per frame', async () => {
  await using rig = await openRig()
  const minified = { function: 't', abs_path: 'https://shop.example/assets/app.min.js', filename: '/assets/app.min.js' }
  await rig.append({
    platform: 'javascript',
    release: '1.0',
    payload: stack([
      { function: 'main', filename: 'https://shop.example/plain.js', lineno: 4, colno: 2, in_app: true },
      { ...minified, lineno: 1, colno: 41_233, in_app: true },
    ]),
  })
  const id = (await rig.issues())[0]!.id
  const { latest_event: event } = await rig.handlers.getIssue({ id }, rig.call)
  expect(event).toMatchObject({
    symbolication_state: 'SYMBOLICATION_STATE_MISSING',
    symbolication: {
      state: 'SYMBOLICATION_STATE_MISSING',
      frames_total: 2,
      frames_mapped: 0,
      problems: [
        {
          frame_index: 1,
          abs_path: 'https://shop.example/assets/app.min.js',
          debug_id: '',
          reason: expect.stringContaining("no source map was uploaded for this event's release"),
        },
      ],
    },
  })
})

test('an occurrence whose body is gone still answers with its summary and says what is missing', async () => {
  await using rig = await openRig()
  await rig.append({ environment: 'staging', release: '1.0' })
  await rig.db.write((rows) => rows.updateTable('occurrence').set({ body: null }).execute())
  const id = (await rig.issues())[0]!.id
  const { latest_event: event } = await rig.handlers.getIssue({ id }, rig.call)
  expect(event).toMatchObject({
    environment: 'staging',
    release: '1.0',
    title: 'Error: pay failed',
    exceptions: [],
    truncation_signals: ['event.body:retention:0/1'],
  })
})
