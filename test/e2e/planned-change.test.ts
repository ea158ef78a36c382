import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../app.ts'
import { connect, type Era } from '../mcp/clients.ts'
import { startSampleApp } from '../sample-app.ts'

let app: App
let discussion: string
beforeAll(async () => {
  app = await startSampleApp()
  discussion = await readFile(new URL('fixtures/gift-cards.md', import.meta.url), 'utf8')
}, 120_000)
afterAll(() => app.close())

interface Draft {
  id: string
  action: string
  quote: string
}

const options = { toolsets: ['default', 'requirements', 'branches'], readOnly: false }
/** A long list has its columns once. */
function rowsOf(structured: unknown, name: string): Draft[] {
  const list = dataOf(structured)[name] as Draft[] | { columns: string[]; rows: unknown[][] }
  if (Array.isArray(list)) return list
  return list.rows.map(
    (row) => Object.fromEntries(list.columns.map((column, index) => [column, row[index]])) as unknown as Draft,
  )
}

const dataOf = (structured: unknown) => (structured as { data: Record<string, unknown> }).data

/** Every requirement of the main tree, without the time-dependent parts. */
async function mainTree() {
  const { requirements } = await app.api.listRequirements({ product_id: app.productId, page_size: 200 })
  return requirements.map(({ key, title, statement, status, version, etag }) => ({
    key,
    title,
    statement,
    status,
    version,
    etag,
  }))
}

test.each<Era>(['2026-07-28'])(
  'a discussion of the sample is distilled, reviewed, decided and merged in chat, and its new requirements are gaps with their quotes (%s)',
  async (era) => {
    const before = await mainTree()
    await using agent = await connect(app.api, {
      era,
      options,
      user: () => ({ action: 'accept', content: { decision: 'confirm', type_to_confirm: 'Gift cards' } }),
    })
    const distilled = await agent.call('distill_intent', { intent: discussion, branch: 'Gift cards' })
    const [drafts = [], decisions = [], errors = []] = ['drafts', 'decisions', 'errors'].map((name) =>
      rowsOf(distilled.structured, name),
    )
    for (const { quote } of [...drafts, ...decisions, ...errors]) expect(words(discussion)).toContain(words(quote))
    expect(decisions.map(({ id }) => id)).toEqual(['REQ-31', 'REQ-34'])
    expect(drafts).toContainEqual(expect.objectContaining({ id: 'REQ-19', action: 'retire' }))
    expect(errors.map(({ quote }) => quote)).toEqual([expect.stringContaining('REQ-99')])
    expect(await mainTree()).toEqual(before)

    const review = await agent.call('review_branch', { branch: 'Gift cards' })
    expect(review.text).toContain('REQ-31/statement')
    const undecided = await agent.call('merge_quality_branch', { branch: 'Gift cards', reason: 'Planned on Thursday.' })
    expect(undecided.text).toContain('REQ-31/statement')
    expect(await mainTree()).toEqual(before)

    const merged = await agent.call('merge_quality_branch', {
      branch: 'Gift cards',
      reason: 'Planned on Thursday.',
      resolutions: [
        { conflict: 'REQ-31', use: 'main' },
        { conflict: 'REQ-34/statement', use: 'branch' },
      ],
    })
    expect(merged.text).toMatch(/^Merged quality branch/)
    const after = await mainTree()
    expect(after.find(({ key }) => key === 'REQ-31')?.statement).toContain('50.00')
    expect(after.find(({ key }) => key === 'REQ-34')?.statement).toContain('45 minutes')
    expect(after.find(({ key }) => key === 'REQ-19')?.status).toBe('REQUIREMENT_STATUS_DEPRECATED')

    const created = after.filter(({ key }) => !before.some((one) => one.key === key))
    expect(created.length).toBe(drafts.filter(({ action }) => action === 'create').length)
    const { text: gaps } = await agent.call('find_coverage_gaps', { limit: 50 })
    for (const { key } of created) {
      expect(gaps).toContain(String(key))
      const { structured } = await agent.call('get_requirement', { requirement: key ?? '' })
      const { source, statement } = dataOf(structured) as { source: { quote?: string }; statement?: string }
      expect(words(discussion)).toContain(words(source.quote ?? statement ?? ''))
    }
  },
)

/** The words of a text, without its line breaks, marks of lists and tables, and what a cut left of it. */
function words(text: string): string {
  return text
    .replace(/\S*… \(\+\d+ characters\)$/, '')
    .replaceAll(/[\s<‹>*`|-]+/g, ' ')
    .trim()
}
