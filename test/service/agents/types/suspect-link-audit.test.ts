import { expect, test } from 'vitest'
import type * as z from 'zod'
import { jsonBytes } from '../../../../src/lib/bytes.ts'
import { OUTPUT_BYTES } from '../../../../src/service/agents/output-size.ts'
import type { Output } from '../../../../src/service/agents/types/suspect-link-audit/schema.ts'
import { startSampleApp } from '../../../sample-app.ts'
import { startTree } from '../../branches/branch-tree.ts'
import { runType } from '../run-type.ts'

type Found = z.input<typeof Output>
type App = Awaited<ReturnType<typeof startTree>>
type Priority = 'PRIORITY_CRITICAL' | 'PRIORITY_LOW'

async function audit(app: Parameters<typeof runType>[0], input = {}, options = {}): Promise<Found> {
  return (await runType(app, 'suspect_link_audit', input, options)).output as Found
}

/** An app in which a second passes each time that the service looks at the clock. */
function start() {
  let time = Date.parse('2026-11-22T12:00:00.000Z')
  return startTree({ platform: { now: () => (time += 1000) } })
}

const place = (name: string) => ({ file_path: 'test/cart.test.ts', suite_path: [], name })

/** A requirement of two criteria, with a test that is linked to it, or to its first criterion. */
async function linked(
  app: App,
  {
    title = 'A cart',
    priority = 'PRIORITY_LOW',
    first = false,
  }: { title?: string; priority?: Priority; first?: boolean } = {},
) {
  const requirement = await app.tree.requirement({
    title,
    priority,
    statement: 'The cart shows the sum.',
    acceptance_criteria: [{ text: 'It adds.' }, { text: 'It removes.' }],
  })
  const name = `tests ${title}`
  const made = await app.tree.test({ title: name, automation_ref: place(name) })
  const criterion_ids = first ? [requirement.acceptance_criteria[0]!.id] : []
  await app.request('POST', `/v1/tests/${made.id}/links`, { requirement_id: requirement.id, criterion_ids })
  return { requirement, test: made, name }
}

async function report(app: App, name: string, status: 'PASSED' | 'FAILED'): Promise<void> {
  const draft = { cases: [{ ...place(name), status }] }
  const reply = await app.request('POST', `${app.tree.product}/tests:ingest`, {
    draft,
    run: { run_key: name + status },
  })
  expect(reply.status).toBe(200)
}

test('in the sample, the price list was extended by a criterion after its tests ran', async () => {
  await using app = await startSampleApp()
  const { total, requirements } = await audit(app)
  // The tests name their requirement in their titles.
  const named = await app.db.read
    .selectFrom('test')
    .select('title')
    .where('title', 'like', '%REQ-22]%')
    .where('kind', '=', 'TEST_KIND_CASE')
    .orderBy('number')
    .execute()
  expect(total).toBe(named.length)
  expect(requirements).toMatchObject([
    {
      key: 'REQ-22',
      changes: [
        {
          since_version: 1,
          statement_changed: false,
          criteria: [
            { change: 'ADDED', after: 'A list that is refused leaves the prices of the day before in the catalogue.' },
          ],
          versions: [{ version: 2, by: { display_name: 'Owner' } }],
        },
      ],
    },
  ])
  expect(requirements[0]?.links.map(({ test: { title } }) => title)).toEqual(named.map(({ title }) => title))
  expect(requirements[0]?.links[0]).toMatchObject({ advice: { action: 'READ' }, results_since: { not_run: 1 } })
})

test('a change shows the words, the criteria and each version since the link was made', async () => {
  await using app = await start()
  const { requirement } = await linked(app)
  const [adds, removes] = requirement.acceptance_criteria
  await app.tree.change(requirement.id, { statement: 'The cart shows the total.' })
  await app.tree.change(requirement.id, {
    acceptance_criteria: [{ id: adds!.id, text: 'It adds twice.' }, { text: 'It empties.' }],
  })
  const [change] = (await audit(app)).requirements[0]!.changes
  expect(change).toMatchObject({ since_version: 1, title_changed: false, statement_changed: true })
  expect(change?.wording_change).toContain('[-sum-]{+total+}')
  expect(change?.criteria).toEqual([
    { key: 'REQ-1.1', change: 'REWORDED', before: 'It adds.', after: 'It adds twice.' },
    { key: 'REQ-1.2', change: 'ADDED', before: '', after: 'It empties.' },
    { key: 'REQ-1.2', change: 'REMOVED', before: removes!.text, after: '' },
  ])
  expect(change?.versions.map(({ version }) => version)).toEqual([2, 3])
})

test('only the version that a merge made names the branch', async () => {
  await using app = await start()
  const { requirement } = await linked(app)
  const branch = await app.tree.branch('Totals')
  await app.tree.change(requirement.id, { statement: 'The cart shows the total.', branch_id: branch })
  await app.tree.change(requirement.id, { title: 'Carts' })
  const merged = await app.request('POST', `/v1/branches/${branch}/merge`, {})
  expect(merged.status).toBe(200)
  await app.tree.change(requirement.id, { title: 'The cart' })
  const [change] = (await audit(app)).requirements[0]!.changes
  expect(change?.versions.map((one) => one.branch?.name ?? '')).toEqual(['', 'Totals', ''])
})

test('a link whose criteria did not change can be confirmed, one to the whole requirement is to be read', async () => {
  await using app = await start()
  const one = await linked(app, { first: true })
  const [adds, removes] = one.requirement.acceptance_criteria
  const whole = await app.tree.test({ title: 'whole', automation_ref: place('whole') })
  await app.request('POST', `/v1/tests/${whole.id}/links`, { requirement_id: one.requirement.id })
  await app.tree.change(one.requirement.id, {
    acceptance_criteria: [adds!, { id: removes!.id, text: 'It removes all.' }],
  })
  await report(app, 'whole', 'PASSED')
  const [first, second] = (await audit(app)).requirements[0]!.links
  expect(first).toMatchObject({ criteria: ['REQ-1.1'], is_touched: false, advice: { action: 'CONFIRM' } })
  expect(first?.to_confirm).toEqual({ test: 'TC-1', requirement_ids: ['REQ-1.1'] })
  expect(second).toMatchObject({ criteria: [], is_touched: true, advice: { action: 'READ' } })
})

test('only a result from after the change counts: without one the test is to be run, with a failure to be fixed', async () => {
  await using app = await start()
  const { requirement, name } = await linked(app)
  await report(app, name, 'PASSED')
  await app.tree.change(requirement.id, { statement: 'The cart shows the total.' })
  const before = (await audit(app)).requirements[0]!.links[0]
  expect(before).toMatchObject({ advice: { action: 'RUN' }, last_result: { is_since_change: false } })
  await report(app, name, 'FAILED')
  const after = (await audit(app)).requirements[0]!.links[0]
  expect(after).toMatchObject({
    advice: { action: 'FIX' },
    last_result: { status: 'RESULT_STATUS_FAILED', is_since_change: true },
    results_since: { passed: 0, failed: 1, not_run: 0 },
  })
})

test('a link to a criterion that is gone is to be made again, not confirmed', async () => {
  await using app = await start()
  const { requirement } = await linked(app, { first: true })
  await app.tree.change(requirement.id, { acceptance_criteria: [requirement.acceptance_criteria[1]!] })
  const [link] = (await audit(app)).requirements[0]!.links
  expect(link).toMatchObject({ criteria: [], is_touched: true, advice: { action: 'READ' }, to_confirm: null })
})

test('a link to a requirement that reads as before can be confirmed', async () => {
  await using app = await start()
  const { requirement } = await linked(app)
  for (const statement of ['The cart shows the total.', requirement.statement])
    await app.tree.change(requirement.id, { statement })
  const [link] = (await audit(app)).requirements[0]!.links
  expect(link).toMatchObject({ is_touched: false, advice: { action: 'CONFIRM' } })
})

test('criteria that are too large for the output are left out with a note', async () => {
  await using app = await start()
  const acceptance_criteria = Array.from({ length: 100 }, () => ({ text: 'long '.repeat(700) }))
  for (const title of ['One', 'Two'])
    await app.tree.change((await linked(app, { title })).requirement.id, { acceptance_criteria })
  const { output, truncationSignals } = await runType(app, 'suspect_link_audit')
  expect(jsonBytes(output)).toBeLessThan(OUTPUT_BYTES)
  const { requirements } = output as Found
  expect(requirements.map(({ links }) => links.length)).toEqual([1, 1])
  const shown = requirements.flatMap(({ changes }) => changes.flatMap(({ criteria }) => criteria)).length
  // Each of the two requirements lost 2 criteria and got 100.
  expect(truncationSignals).toEqual([`requirements.changes.criteria:max_bytes:${shown}/204`])
})

test('a link that is in doubt because its test no longer names the requirement says so', async () => {
  await using app = await start()
  await app.tree.requirement({ title: 'A cart' })
  for (const [index, tags] of [['REQ-1'], []].entries()) {
    const draft = { cases: [{ ...place('adds'), status: 'FAILED', tags }] }
    await app.request('POST', `${app.tree.product}/tests:ingest`, { draft, run: { run_key: String(index) } })
  }
  expect((await audit(app)).requirements).toMatchObject([
    {
      key: 'REQ-1',
      changes: [],
      links: [{ cause: 'ANNOTATION_GONE', advice: { action: 'READ' }, suspect_since: null, results_since: null }],
    },
  ])
})

test('a confirmed link is not listed, and the others of the product are', async () => {
  await using app = await start()
  const one = await linked(app, { title: 'One' })
  const other = await linked(app, { title: 'Other' })
  for (const { requirement } of [one, other])
    await app.tree.change(requirement.id, { statement: 'It shows the total.' })
  await app.request('POST', `/v1/tests/${one.test.id}/links`, {
    requirement_id: one.requirement.id,
    confirm: true,
    reason: 'it tests the total',
  })
  expect((await audit(app)).requirements.map(({ title }) => title)).toEqual(['Other'])
})

test('critical requirements come first, then those in doubt for longest, and the limit keeps the first', async () => {
  await using app = await start()
  const made = []
  for (const [title, priority] of [
    ['New', 'PRIORITY_LOW'],
    ['Old', 'PRIORITY_LOW'],
    ['Critical', 'PRIORITY_CRITICAL'],
  ] as const)
    made.push((await linked(app, { title, priority })).requirement)
  for (const { id } of [made[1]!, made[0]!, made[2]!]) await app.tree.change(id, { statement: 'It shows the total.' })
  const { total, requirements } = await audit(app)
  expect(total).toBe(3)
  expect(requirements.map(({ title }) => title)).toEqual(['Critical', 'Old', 'New'])
  const limited = await runType(app, 'suspect_link_audit', { limit: 2 })
  expect((limited.output as Found).requirements.map(({ title }) => title)).toEqual(['Critical', 'Old'])
  expect(limited.truncationSignals).toEqual(['links:max_items:2/3'])
  expect(limited.summary).toContain('3 links are in doubt. The output has 2 of them, to 2 requirements: 2 RUN.')
})

test('the same data gives the same output', async () => {
  await using app = await start()
  const { requirement } = await linked(app)
  await app.tree.change(requirement.id, { statement: 'The cart shows the total.' })
  expect(await audit(app)).toEqual(await audit(app))
})

test('a run that is cancelled ends at once', async () => {
  await using app = await start()
  const onProgress = () => {
    throw new Error('cancelled')
  }
  await expect(audit(app, {}, { onProgress })).rejects.toThrow('cancelled')
})
