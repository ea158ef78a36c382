import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addReport, type RecordedReport } from '../../../../src/service/quality/test-ingest/attempts.ts'
import type { ReportCase } from '../../../../src/service/quality/reports/model/report.ts'
import { startApp, type App } from '../../../app.ts'

const tap = (ok: boolean, text = '') => `TAP version 13\n${ok ? 'ok' : 'not ok'} 1 - works ${text}[REQ-1]\n1..1\n`
const junit = (ok: boolean, at = '') =>
  `<testsuite name="cart"${at === '' ? '' : ` timestamp="${at}"`}><testcase name="works [REQ-1]" classname="cart">${ok ? '' : '<failure message="no"/>'}</testcase></testsuite>`

interface Coverage {
  state: string
  failing: boolean
  flaky: boolean
}

/** Sends the reports in turn, each call with its files, and returns the state of the requirement that they name. */
async function stateAfter(calls: readonly (readonly string[])[]): Promise<string> {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}`
  const made = await app.request<{ requirement: { id: string } }>('POST', `${path}/requirements`, { title: 'a rule' })
  for (const contents of calls) await send(app, contents)
  const { body } = await app.request<{ requirement: { coverage: Coverage } }>(
    'GET',
    `/v1/requirements/${made.body.requirement.id}`,
  )
  const { state, failing, flaky } = body.requirement.coverage
  return `${state}${failing ? ' failing' : ''}${flaky ? ' flaky' : ''}`
}

async function send(app: App, contents: readonly string[]): Promise<void> {
  const files = contents.map((content) => ({ name: 'cart.tap', content }))
  const reply = await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, {
    draft: { files },
    run: { run_key: 'build 7' },
  })
  expect(reply.status).toBe(200)
}

const [pass, fail] = [tap(true), tap(false)]

test('a pass and then a failure in one run is a failure, across the files of a call and across calls', async () => {
  expect(await stateAfter([[pass, fail]])).toBe('not_run failing')
  expect(await stateAfter([[pass], [fail]])).toBe('not_run failing')
})

test('a failure and then a pass in one run is flaky, across the files of a call and across calls', async () => {
  expect(await stateAfter([[fail, pass]])).toBe('verified flaky')
  expect(await stateAfter([[fail], [pass]])).toBe('verified flaky')
})

test('the times in the reports win over the order in which they come', async () => {
  const [earlier, later] = ['2026-11-21T10:00:00Z', '2026-11-21T10:05:00Z']
  expect(await stateAfter([[junit(false, later), junit(true, earlier)]])).toBe('not_run failing')
  expect(await stateAfter([[junit(true, later)], [junit(false, earlier)]])).toBe('verified flaky')
  // One report without a time: the order of arrival.
  expect(await stateAfter([[junit(true, later)], [junit(false)]])).toBe('not_run failing')
})

test('a report that is sent again counts once and where it came first', async () => {
  expect(await stateAfter([[fail, pass], [fail]])).toBe('verified flaky')
  expect(await stateAfter([[pass, fail], [pass]])).toBe('not_run failing')
  expect(await stateAfter([[fail, fail]])).toBe('not_run failing')
})

test('an attempt that ends exactly like an earlier one is another attempt, unless its report is the same one', async () => {
  const script = (first: boolean, other: string) =>
    `1..2\n${first ? 'ok' : 'not ok'} 1 - works [REQ-1]\n${other} 2 - other\n`
  const [red, green, redAgain] = [script(false, 'ok'), script(true, 'ok'), script(false, 'not ok')]
  expect(await stateAfter([[red], [green], [redAgain]])).toBe('not_run failing')
  expect(await stateAfter([[red, green, redAgain]])).toBe('not_run failing')
  expect(await stateAfter([[green], [red], [script(true, 'not ok')]])).toBe('verified flaky')
  expect(await stateAfter([[red], [green], [red]])).toBe('verified flaky')
})

test('a file that fails to load for a second time takes back the pass between', async () => {
  const file = (facts: object) => JSON.stringify({ testResults: [{ name: '/app/cart.test.ts', ...facts }] })
  const broken = (message: string) => file({ status: 'failed', message, assertionResults: [] })
  const good = file({ status: 'passed', assertionResults: [{ title: 'works [REQ-1]', status: 'passed' }] })
  const calls = [[good], [broken('a')], [`${good} `], [broken('b')]]
  expect(await stateAfter(calls)).toBe('not_run')
})

const statuses = ['PASSED', 'FAILED', 'ERROR', 'SKIPPED', 'FLAKY', 'BLOCKED'] as const

test('the last attempt that ran decides, and only a pass verifies', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 6 }), (attempts) => {
      let known: readonly RecordedReport[] = []
      let merged = ''
      for (const [index, status] of attempts.entries()) {
        const outcome = addReport(known, attempt(status, index))
        known = outcome!.reported
        merged = outcome!.status.slice('RESULT_STATUS_'.length)
        expect(known.filter(({ told }) => told)).toHaveLength(1)
      }
      const ran = attempts.filter((status) => status !== 'SKIPPED')
      const last = ran.at(-1)
      const hasFailed = ran.some((status) => status === 'FAILED' || status === 'ERROR' || status === 'FLAKY')
      const isPass = last === 'PASSED' || last === 'FLAKY'
      expect(isPass ? merged : '').toBe(isPass ? (hasFailed ? 'FLAKY' : 'PASSED') : '')
      expect(!isPass && (merged === 'PASSED' || merged === 'FLAKY')).toBe(false)
      const isRed = last === 'FAILED' || last === 'ERROR'
      expect(isRed ? merged : '').toBe(isRed ? last : '')
    }),
  )
})

function attempt(status: (typeof statuses)[number], index: number): ReportCase {
  return {
    file_path: '',
    suite_path: [],
    name: 'works',
    project: '',
    status: `RESULT_STATUS_${status}`,
    attempts: 1,
    duration_ms: index,
    message: '',
    trace: '',
    line: 0,
    tags: [],
    labels: {},
    external_id: '',
    references: [],
    started_at: null,
  }
}
