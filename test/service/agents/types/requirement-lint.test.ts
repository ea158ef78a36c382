import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import { OUTPUT_BYTES } from '../../../../src/service/agents/output-size.ts'
import type { Output } from '../../../../src/service/agents/types/requirement-lint/schema.ts'
import type { App } from '../../../app.ts'
import { startSampleApp } from '../../../sample-app.ts'
import { compareStatements } from '../../../../src/service/intent/match/index.ts'
import { startTree } from '../../branches/branch-tree.ts'
import { pairs as labelled } from '../../intent/labelled-data.ts'
import { runType } from '../run-type.ts'

type Found = z.input<typeof Output>

async function lint(app: App, input: Record<string, unknown> = {}, options = {}): Promise<Found> {
  return (await runType(app, 'requirement_lint', input, options)).output as Found
}

/** `REQ-1 NO_MEASURE fast`, … of an output. */
function findings({ requirements }: Found): string[] {
  return requirements.flatMap(({ key, findings: found }) => found.map(({ rule, words }) => `${key} ${rule} ${words}`))
}

function pairs({ pairs: found }: Found): string[] {
  return found.map(({ kind, first, second }) => `${kind} ${first.key} ${second.key}`)
}

test('in the sample, the findings are those that writing each requirement answers with', async () => {
  await using app = await startSampleApp()
  const found = await lint(app)
  const { body } = await app.request<ResponseOf<'listRequirements'>>(
    'GET',
    `/v1/products/${app.productId}/requirements?page_size=100`,
  )
  const expected = new Map<string, number>()
  for (const { id, key, kind, status } of body.requirements) {
    if (kind === 'REQUIREMENT_KIND_GROUP' || status === 'REQUIREMENT_STATUS_DEPRECATED') continue
    const read = await app.request<ResponseOf<'getRequirement'>>('GET', `/v1/requirements/${id}`)
    const { title, statement, acceptance_criteria } = read.body.requirement
    const criteria = acceptance_criteria.map(({ id: _id, position: _position, ...one }) => one)
    const written = await app.request<ResponseOf<'createRequirement'>>(
      'POST',
      `/v1/products/${app.productId}/requirements`,
      { title, statement, acceptance_criteria: criteria, validate_only: true },
    )
    const { length } = written.body.lint
    if (length > 0) expected.set(key, length)
  }
  expect(new Map(found.requirements.map((one) => [one.key, one.findings.length]))).toEqual(expected)
  // The promise of recommendations is vague; nothing in the shop is said twice.
  expect(found.requirements.map(({ title }) => title)).toEqual(['Recommendations'])
  expect(found.pairs).toEqual([])
})

test("the sample's branch has what was drafted on it, and not what it retires", async () => {
  await using app = await startSampleApp()
  const found = await lint(app, { branch: 'Returns' })
  const { body } = await app.request<ResponseOf<'listRequirements'>>(
    'GET',
    `/v1/products/${app.productId}/requirements?page_size=100&branch_id=${found.scope.branch?.id ?? ''}`,
  )
  const inUse = body.requirements.filter(
    ({ kind, status, normative }) =>
      kind !== 'REQUIREMENT_KIND_GROUP' && status !== 'REQUIREMENT_STATUS_DEPRECATED' && normative,
  )
  expect(found.scanned).toBe(inUse.length)
  const titles = new Map(inUse.map(({ key, title }) => [key, title]))
  expect(found.requirements.length).toBeGreaterThan(0)
  for (const { key, title } of found.requirements) expect(titles.get(key)).toBe(title)
})

test('findings name the text, the words and the severity, and what no test can decide comes first', async () => {
  await using app = await startTree()
  await app.tree.requirement({ title: 'Reports', statement: 'The shop shall always answer all calls.' })
  await app.tree.requirement({ title: 'Search', statement: 'The search shall be fast.', priority: 'PRIORITY_LOW' })
  await app.tree.requirement({
    title: 'Refunds',
    statement: 'The shop shall refund it if possible.',
    acceptance_criteria: [{ text: 'The limit is TBD.' }],
    priority: 'PRIORITY_CRITICAL',
  })
  const { requirements, rules } = await lint(app)
  expect(requirements.map(({ title }) => title)).toEqual(['Refunds', 'Search', 'Reports'])
  const [refunds] = requirements
  expect(refunds?.findings).toMatchObject([
    { rule: 'ESCAPE_CLAUSE', severity: 'HIGH', text: 'statement', words: 'if possible' },
    { rule: 'TBD', severity: 'HIGH', text: 'criterion 1', words: 'TBD' },
  ])
  expect(rules.at(-1)).toMatchObject({ rule: 'UNIVERSAL', severity: 'LOW', findings: 2, requirements: 1 })
})

test('a contradiction, a repetition and what only reads alike are told apart', async () => {
  await using app = await startTree()
  await app.tree.requirement({ title: 'Cart', statement: 'The cart must keep its items for 30 days.' })
  await app.tree.requirement({ title: 'Basket', statement: 'The cart must keep its items for 60 days.' })
  await app.tree.requirement({ title: 'Keeping', statement: 'The cart shall keep its items for 30 days.' })
  await app.tree.requirement({ title: 'Orders', statement: 'The warehouse prints a label for each parcel.' })
  const found = await lint(app)
  expect(pairs(found)).toEqual(['CONTRADICTION REQ-1 REQ-2', 'CONTRADICTION REQ-2 REQ-3', 'NEAR_DUPLICATE REQ-1 REQ-3'])
  expect(found.pairs[0]?.differences).toEqual(['30 days became 60 days'])
})

test('requirements that are deprecated, informative or groups are left out', async () => {
  await using app = await startTree()
  for (const more of [
    { status: 'REQUIREMENT_STATUS_DEPRECATED' as const },
    { normative: false },
    { kind: 'REQUIREMENT_KIND_GROUP' as const },
  ])
    await app.tree.requirement({ title: 'The page shall load fast', ...more })
  expect(await lint(app)).toMatchObject({ scanned: 0, requirements: [], pairs: [] })
})

test('with keys, only those requirements are scanned, and compared with all others', async () => {
  await using app = await startTree()
  await app.tree.requirement({ title: 'One', statement: 'The page shall load fast.' })
  await app.tree.requirement({ title: 'Two', statement: 'The page must load fast.' })
  await app.tree.requirement({ title: 'Three', statement: 'The mail is to be sent soon by the shop.' })
  const found = await lint(app, { requirement_keys: ['req-2'] })
  expect(found.scanned).toBe(1)
  expect(findings(found)).toEqual(['REQ-2 NO_MEASURE fast'])
  expect(pairs(found)).toEqual(['NEAR_DUPLICATE REQ-1 REQ-2'])
  await expect(lint(app, { requirement_keys: ['REQ-9'] })).rejects.toThrow('no requirement REQ-9')
})

test('a branch that is not open, or not of the product, is refused', async () => {
  await using app = await startTree()
  const id = await app.tree.branch('Old')
  await app.request('DELETE', `/v1/branches/${id}`)
  await expect(lint(app, { branch: 'Old' })).rejects.toThrow('the branch has been closed')
  await expect(lint(app, { branch: 'New' })).rejects.toThrow('no branch New')
})

test('a scan of a branch finds what a scan finds after its merge', async () => {
  await using app = await startTree()
  const kept = await app.tree.requirement({ title: 'Kept', statement: 'The page shall load within 2 s.' })
  const gone = await app.tree.requirement({ title: 'Gone', statement: 'The mail shall be sent soon by the shop.' })
  const branch_id = await app.tree.branch()
  await app.tree.change(kept.id, { branch_id, statement: 'The page shall load fast.' })
  await app.tree.requirement({ branch_id, title: 'New', statement: 'The page must load fast.' })
  await app.tree.remove(gone.id, branch_id)
  const before = await lint(app, { branch: branch_id })
  expect(findings(before)).toEqual(['REQ-1 NO_MEASURE fast', 'REQ-?1 NO_MEASURE fast'])
  expect(pairs(before)).toEqual(['NEAR_DUPLICATE REQ-1 REQ-?1'])
  expect(findings(await lint(app))).toEqual(['REQ-2 NO_MEASURE soon'])
  const merged = await app.request('POST', `/v1/branches/${branch_id}/merge`, {})
  expect(merged.status).toBe(200)
  const after = await lint(app)
  expect(findings(after)).toEqual(findings(before).map((one) => one.replace('REQ-?1', 'REQ-3')))
  expect(pairs(after)).toEqual(['NEAR_DUPLICATE REQ-1 REQ-3'])
})

test('the delta names what is new and what is gone, and is left out for another scope', async () => {
  await using app = await startTree()
  const one = await app.tree.requirement({ title: 'One', statement: 'The page shall load fast.' })
  const first = await lint(app)
  expect(first.delta).toBeNull()
  await app.tree.change(one.id, { statement: 'The page shall load soon.' })
  const { delta } = await lint(app, {}, { previous: first })
  expect(delta).toMatchObject({
    new_findings: 1,
    gone_findings: 1,
    listed_new: [{ requirement_key: 'REQ-1', rule: 'NO_MEASURE', words: 'soon' }],
    listed_gone: [{ requirement_key: 'REQ-1', rule: 'NO_MEASURE', words: 'fast' }],
  })
  expect((await lint(app, { requirement_keys: ['REQ-1'] }, { previous: first })).delta).toBeNull()
  expect((await lint(app, {}, { previous: { other: 'output' } })).delta).toBeNull()
})

test('what the limit leaves out is noted, and then there is no delta', async () => {
  await using app = await startTree()
  for (const title of ['One', 'Two']) await app.tree.requirement({ title, statement: `Page ${title} shall load fast.` })
  const whole = await lint(app)
  const limited = await runType(app, 'requirement_lint', { limit: 1 }, { previous: whole })
  expect(limited.output).toMatchObject({ is_whole: false, requirements: [{ key: 'REQ-1' }], delta: null })
  expect(limited.truncationSignals).toContain('requirements:max_items:1/2')
})

test('the largest output fits into a run, and what was left out for it is noted', async () => {
  await using app = await startTree()
  const vague = 'Die Ü shall be fast. '.repeat(80)
  for (let index = 0; index < 90; index += 1)
    await app.tree.requirement({ title: `${'Ü'.repeat(180)} ${String(index)}`, statement: `${vague}${String(index)}` })
  const { output, truncationSignals } = await runType(app, 'requirement_lint', { limit: 2000 })
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(OUTPUT_BYTES)
  const { pairs: shown, requirements, is_whole } = output as Found
  expect(is_whole).toBe(false)
  expect(truncationSignals).toEqual([
    expect.stringMatching(`^pairs:max_bytes:${String(shown.length)}/`),
    `requirements.findings:max_items:4500/7200`,
    `requirements:max_bytes:${String(requirements.length)}/90`,
  ])
})

test('every repetition among labelled requirements is found, as by comparing all with all', async () => {
  await using app = await startTree()
  const some = labelled.same.filter((_, index) => index % 6 === 0).flatMap(({ a, b }) => [a, b])
  for (const statement of some) await app.tree.requirement({ title: statement.slice(0, 120), statement })
  const texts = some.map((statement) => ({ title: statement.slice(0, 120), statement }))
  const all = texts.flatMap((second, index) =>
    texts.slice(0, index).flatMap((first, before) => {
      const { verdict } = compareStatements(first, second)
      return verdict === 'duplicate' ? [`NEAR_DUPLICATE REQ-${String(before + 1)} REQ-${String(index + 1)}`] : []
    }),
  )
  const found = pairs(await lint(app)).filter((one) => one.startsWith('NEAR'))
  expect(all.length).toBeGreaterThan(5)
  expect(found.toSorted()).toEqual(all.toSorted())
})

test('requirements that were written in another order give the same pairs and findings', async () => {
  const texts = ['The page shall load fast.', 'The page must load fast.', 'The mail is to be sent soon by the shop.']
  const outputs = []
  for (const order of [texts, texts.toReversed()]) {
    await using app = await startTree()
    for (const statement of order) await app.tree.requirement({ title: statement.slice(0, -1), statement })
    const found = await lint(app)
    outputs.push({
      findings: found.requirements.map(({ title, findings: own }) => JSON.stringify([title, own])).toSorted(),
      pairs: found.pairs.map(({ kind, first, second }) => [kind, ...[first.title, second.title].toSorted()]),
    })
    expect(await lint(app)).toEqual(found)
  }
  expect(outputs[1]).toEqual(outputs[0])
})

test('a run that is cancelled ends at once', async () => {
  await using app = await startTree()
  const onProgress = () => {
    throw new Error('cancelled')
  }
  await expect(lint(app, {}, { onProgress })).rejects.toThrow('cancelled')
})
