import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'
import {
  issueFrames,
  recordIssueFrames,
  replaceIssueFrames,
  relevantStacks,
} from '../../../../src/service/errors/issues/issue-frames.ts'
import { createLocator } from '../../../../src/service/workspace/components/locate-frame.ts'
import { library, own, thrown } from '../../agent-context/fix/fix-context.ts'
import { startApp } from '../../../app.ts'
import { openRig } from './rig.ts'

const roots = { root_path: '', path_strip_prefixes: ['/srv/shop'] }
const locate = createLocator({ roots, named: () => [], folders: [] })
const read = (payload: Record<string, unknown>) =>
  normalise(payload, { eventId: 'a'.repeat(32), receivedAt: 0, sizeBytes: 1 })
const place = (index: number) => ({ path: `src/f${index}.ts`, function: `f${index}`, distance: index })

test('the places of an event are its in-app frames in the repository, nearest to the crash first', () => {
  const event = read({
    exception: thrown(
      { type: 'TypeError', frames: [own('src/cause.ts', 'cause', 1), library('next')] },
      { type: 'Error', frames: [own('/srv/shop/src/main.ts', 'main', 1), library('run'), own('src/pay.ts', 'pay', 2)] },
    ),
  })
  expect(issueFrames(event, locate)).toEqual([
    { path: 'src/pay.ts', function: 'pay', distance: 0 },
    { path: 'src/cause.ts', function: 'cause', distance: 1 },
    { path: 'src/main.ts', function: 'main', distance: 2 },
  ])
})

test('a chunk named by its content is no file of the repository while no map leads on', () => {
  const frames = [own('src/main.ts', 'main', 1), own('https://a.example/assets/app-NYNX3Q3S.js?v=2', 'r', 1)]
  const event = read({ exception: thrown({ type: 'Error', frames }) })
  expect(issueFrames(event, locate)).toEqual([{ path: 'src/main.ts', function: 'main', distance: 1 }])
})

test('a place that is met again counts once, where it is nearest', () => {
  const frames = [own('src/a.ts', 'walk', 1), own('src/a.ts', 'walk', 2), own('src/a.ts', 'leaf', 3)]
  expect(issueFrames(read({ exception: thrown({ type: 'Error', frames }) }), locate)).toEqual([
    { path: 'src/a.ts', function: 'leaf', distance: 0 },
    { path: 'src/a.ts', function: 'walk', distance: 1 },
  ])
})

test('at most 20 places of an event are kept, those nearest to the crash', () => {
  const frames = Array.from({ length: 250 }, (_, index) => own('src/deep.ts', `f${index}`, 1))
  const places = issueFrames(read({ exception: thrown({ type: 'Error', frames }) }), locate)
  expect(places.map(({ function: name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `f${249 - index}`))
})

test('a place whose name is too long for an index is left out, and its event is stored', async () => {
  // Random letters, which PostgreSQL cannot pack.
  const text = (length: number) => Array.from({ length }, () => String.fromCharCode(randomInt(0x4e00, 0x9f00))).join('')
  await using app = await startApp()
  const frames = [own('src/pay.ts', 'pay', 1), own(`src/${text(390)}.ts`, text(512), 1)]
  expect(await app.ingest({ exception: thrown({ type: 'Error', frames }) })).toMatchObject({ status: 200 })
  const stored = await app.db.read.selectFrom('issue_frame').select('path').execute()
  expect(stored).toEqual([{ path: 'src/pay.ts' }])
})

test('of several threads the one that crashed is read, a single one also when it did not', () => {
  const thread = (name: string, more: object = {}) => ({
    stacktrace: { frames: [own(`src/${name}.ts`, name, 1)] },
    ...more,
  })
  const names = (...values: object[]) =>
    relevantStacks(read({ message: 'stuck', threads: { values } })).map((frames) =>
      frames.map((frame) => frame.function),
    )
  expect(names(thread('idle'), thread('busy', { crashed: true }))).toEqual([['busy']])
  expect(names(thread('idle'))).toEqual([['idle']])
  expect(names(thread('idle'), thread('other'))).toEqual([])
})

test('an issue keeps the places of different stacks, up to a hundred, until they are replaced', async () => {
  await using rig = await openRig()
  await rig.append()
  const { id } = (await rig.issues())[0]!
  const record = (from: number, count: number) =>
    rig.db.batch((prepare) => {
      const frames = Array.from({ length: count }, (_, index) => place(from + index))
      return recordIssueFrames(prepare, rig.productId, id, frames)
    })
  const stored = async () =>
    rig.db.read
      .selectFrom('issue_frame')
      .select(['path', 'function', 'distance'])
      .where('issue_id', '=', id)
      .orderBy('distance')
      .execute()
  await rig.db.batch((prepare) => replaceIssueFrames(prepare, rig.productId, id, []))
  await record(0, 20)
  await record(0, 20)
  await rig.db.batch((prepare) => recordIssueFrames(prepare, rig.productId, id, [{ ...place(3), distance: 90 }]))
  expect(await stored()).toEqual(Array.from({ length: 20 }, (_, index) => place(index)))
  for (const from of [20, 40, 60, 80, 100]) await record(from, 20)
  expect(await stored()).toHaveLength(100)
  await rig.db.batch((prepare) => replaceIssueFrames(prepare, rig.productId, id, [place(7)]))
  expect(await stored()).toEqual([place(7)])
})
