import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { openShop, type Identified } from './shop.ts'

const asTool = { 'x-svc-via': 'mcp' }
const PASS = 'VERDICT_STATUS_PASS'
const FAIL = 'VERDICT_STATUS_FAIL'

interface Listed {
  status: string
  exclusions: { id: string; kind: string }[]
  conditions: { id: string; evidence: { because: string }[] }[]
}

/** A product with a test that passed before an agent links it to its only requirement. */
async function open() {
  const clock = { now: Date.parse('2026-03-01T00:00:00Z') }
  const app = await startApp({ platform: { now: () => (clock.now += 1000) } })
  const shop = await openShop(app)
  const [made, requirement] = [await shop.test('adds up'), await shop.requirement()]
  await shop.report({ 'adds up': 'passed' })
  const links = `/v1/tests/${made.id}/links`
  const compute = async () =>
    (await shop.must<{ verdict: Listed }>('POST', `${shop.path}/quality-gate:compute`, {})).verdict
  return {
    app,
    shop,
    requirement,
    link: (body: object = {}, headers: Record<string, string> = asTool) =>
      shop.must('POST', links, { requirement_id: requirement.id, ...body }, headers),
    unlink: () => shop.must('DELETE', `${links}/${requirement.id}`, undefined, asTool),
    rename: () => shop.must('PUT', `/v1/requirements/${requirement.id}`, { title: 'Each total is right' }),
    compute,
    async told() {
      const { status, exclusions } = await compute()
      return [status, exclusions.map(({ kind }) => kind)]
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}

test('an agent’s link to a test that passed before proves nothing until the test runs again or a person has seen it', async () => {
  await using room = await open()
  expect(await room.told()).toEqual([FAIL, []])
  await room.link()
  const listed = await room.compute()
  expect(await room.told()).toEqual([FAIL, ['link_added']])
  const condition = listed.conditions.find(({ id }) => id === 'unreviewed_exclusions')!
  expect(condition.evidence[0]!.because).toMatch(/Run the test again and send its report, or let a person review it/)

  await room.unlink()
  expect(await room.told()).toEqual([FAIL, []])
  await room.link()
  await room.shop.report({ 'adds up': 'passed' }, { run_key: 'again' })
  expect(await room.told()).toEqual([PASS, []])
  // Now it is evidence, and removing it is an exclusion.
  await room.unlink()
  expect(await room.told()).toEqual([FAIL, ['link_removed']])

  await room.link()
  await room.link({ role: 'EXERCISES' })
  await room.link({ role: 'VERIFIES' })
  expect(await room.told()).toEqual([PASS, []])
})

test('a person’s review ends the doubt in a link, and one that another link makes superfluous is not listed', async () => {
  await using room = await open()
  await room.link()
  const [added] = (await room.compute()).exclusions
  await room.shop.must('POST', `${room.shop.path}/quality-gate:review-exclusions`, { exclusion_ids: [added!.id] })
  expect((await room.compute()).status).toBe(PASS)

  const other = await room.shop.requirement()
  const second: Identified = await room.shop.test('rounds')
  await room.shop.report({ rounds: 'passed' }, { run_key: 'second' })
  await room.shop.link(second, other)
  const before = await room.told()
  await room.shop.must('POST', `/v1/tests/${second.id}/links`, { requirement_id: room.requirement.id }, asTool)
  expect(await room.told()).toEqual(before)
})

test('a suspect link that an agent confirms, removes and makes again is suspect again', async () => {
  await using room = await open()
  await room.link({}, {})
  await room.rename()
  expect(await room.told()).toEqual([FAIL, []])
  await room.link({ confirm: true, reason: 'it still does' })
  expect(await room.told()).toEqual([FAIL, ['link_confirmed']])
  await room.unlink()
  await room.link()
  expect((await room.told())[0]).toBe(FAIL)
})

test('a link that an agent’s report makes proves nothing by results from before the report', async () => {
  await using room = await open()
  const { shop } = room
  const report = (criteria: string, run: object, options: object = {}) => {
    const name = 'adds up'
    const cases = [
      { file_path: 'test/cart.test.ts', suite_path: [], name, status: 'passed', requirement_keys: [criteria] },
    ]
    return shop.must('POST', `${shop.path}/tests:ingest`, { draft: { cases }, run, options }, asTool)
  }
  await report('REQ-1', {}, { mode: 'INGEST_MODE_DRAFT' })
  expect(await room.told()).toEqual([FAIL, ['link_added']])
  await room.unlink()
  expect(await room.told()).toEqual([FAIL, []])

  await report('REQ-1', { run_key: 'feature', git_branch: 'feature' })
  expect(await room.told()).toEqual([FAIL, ['link_added']])
  // There the report is a result as well.
  expect((await shop.compute({ git_branch: 'feature' })).status).toBe(PASS)
})

test('criteria that an agent’s report adds to a link prove nothing by results from before the report', async () => {
  await using room = await open()
  const { shop } = room
  const report = (named: string, headers: Record<string, string>) =>
    shop.must(
      'POST',
      `${shop.path}/tests:ingest`,
      {
        draft: {
          cases: [
            {
              file_path: 'test/cart.test.ts',
              suite_path: [],
              name: 'adds up',
              requirement_keys: [named],
              status: 'passed',
            },
          ],
        },
        options: headers === asTool ? { mode: 'INGEST_MODE_DRAFT' } : {},
      },
      headers,
    )
  const acceptance_criteria = [{ text: 'of one line' }, { text: 'of two lines' }]
  await shop.must('PUT', `/v1/requirements/${room.requirement.id}`, { acceptance_criteria })
  await report('REQ-1.1', {})
  expect(await room.told()).toEqual([FAIL, []])
  await report('REQ-1', asTool)
  expect(await room.told()).toEqual([FAIL, ['link_added']])
})

test('a deprecated test that an agent’s report has is in use again when it ran, and then proves nothing by earlier results', async () => {
  await using room = await open()
  const { shop } = room
  await room.link({}, {})
  await shop.report({ rounds: 'passed', 'adds up': 'passed' }, { run_key: '1' })
  const send = (name: string, run: object, options: object, headers: Record<string, string> = {}) => {
    const cases = [{ file_path: 'test/cart.test.ts', suite_path: [], name, status: 'passed' }]
    return shop.must('POST', `${shop.path}/tests:ingest`, { draft: { cases }, run, options }, headers)
  }
  await send('rounds', { run_key: '2' }, { missing_policy: 'MISSING_POLICY_DEPRECATE' })
  const deprecated = await room.told()
  expect(deprecated).toEqual([FAIL, ['test_deprecated']])
  await send('adds up', {}, { mode: 'INGEST_MODE_DRAFT' }, asTool)
  expect(await room.told()).toEqual(deprecated)
  await send('adds up', { run_key: '3', git_branch: 'feature' }, {}, asTool)
  expect(await room.told()).toEqual([FAIL, ['test_restored']])
  await send('adds up', { run_key: '4' }, {})
  expect(await room.told()).toEqual([PASS, []])
})
