import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { toolTokens } from '../../../../src/dev/surface.ts'
import { instructions } from '../../../../src/mcp/surface/instructions.ts'
import { createListing } from '../../../../src/mcp/surface/listing.ts'
import { surface } from '../../../../src/surface.ts'
import { startApp, type App } from '../../../app.ts'
import { callVariants, sampleThings } from '../../../mcp/checks/calls.ts'
import { connect, defaults, type Connected } from '../../../mcp/clients.ts'
import type { Figure, Suite, Table } from '../../harness/suite.ts'
import { fixedEvent } from '../../support/fixed-events.ts'

/** What lists and results cost a model, in tokens of o200k. */
export const tokens: Suite = {
  about:
    'Tokens (o200k) of the tool lists, of the results of every read tool for the sample product, and of one fixed event.',
  async run() {
    await using app = await startApp({ sample: true })
    await using agent = await connect(app.api, { options: { toolsets: ['all'] } })
    return [lists(), await results(app, agent), ...(await fixedEvents(app, agent))]
  },
}

function lists(): Table {
  const standard = createListing(surface, defaults)
  const all = createListing(surface, { ...defaults, toolsets: ['all'] })
  const total = ({ tools }: typeof all) => tools.reduce((sum, tool) => sum + toolTokens(tool), 0)
  const each = all.tools.map(toolTokens)
  return {
    title: 'Lists: name, description and input schema of each tool',
    figures: [
      row(`default list, ${String(standard.tools.length)} tools`, [total(standard)], {
        most: 2_800,
        headline: 'Default tool list',
      }),
      row(`every toolset, ${String(all.tools.length)} tools`, [total(all)], { most: 6_000 }),
      row('each tool', each),
      row('instructions', [countTokens(instructions(standard.offers))]),
    ],
  }
}

async function results(app: App, agent: Connected): Promise<Table> {
  const { issues } = await app.api.listIssues({ product_id: app.productId, page_size: 50 })
  const things = await sampleThings(app)
  const figures: Figure[] = []
  for (const tool of surface.tools.filter(({ effect }) => effect === 'read')) {
    const perIssue = 'issue' in tool.input.shape
    const calls = perIssue
      ? issues.map(({ short_id: issue }) => ({ ...callVariants(tool, things)[0], issue }))
      : callVariants(tool, things)
    const answers = await Promise.all(calls.map((args) => agent.call(tool.name, args)))
    const found = answers.filter(({ isError }) => !isError)
    if (found.length === 0) continue
    const of = perIssue ? 'each issue' : `${String(found.length)} different calls`
    figures.push(
      row(
        `${tool.name}, ${of}`,
        found.map(({ text }) => countTokens(text)),
      ),
    )
  }
  return { title: 'Results for the sample, as text', figures }
}

const others = {
  'Sentry, with 371 for breadcrumbs': [1_576, 18_983],
  Rollbar: [2_154, 20_424],
  BugSnag: [3_554, 88_417],
} as const

async function fixedEvents(app: App, agent: Connected): Promise<Table[]> {
  const tables: Table[] = []
  for (const [index, [frames, breadcrumbs]] of [[11, 8] as const, [250, 100] as const].entries()) {
    await app.ingest(fixedEvent(frames, breadcrumbs))
    const { issues } = await app.api.listIssues({ product_id: app.productId, q: `in a stack of ${String(frames)}` })
    const issue = issues[0]?.short_id
    if (issue === undefined) throw new Error('the event did not arrive')
    const figures: Figure[] = []
    for (const [name, tool, args] of [
      ['get_fix_context', 'get_fix_context', {}],
      ['get_fix_context, 100 frames', 'get_fix_context', { max_frames: 100 }],
      ['get_error_issue', 'get_error_issue', {}],
      ['get_error_issue, full', 'get_error_issue', { detail: 'full' }],
    ] as const) {
      const { text } = await agent.call(tool, { issue, ...args })
      figures.push(row(name, [countTokens(text)]))
    }
    for (const [name, counts] of Object.entries(others))
      figures.push(row(`tool of ${name}`, [counts[index] ?? Number.NaN]))
    const notes = ['The tools of others were measured once with the same event, in November 2026.']
    tables.push({
      title: `One event of ${String(frames)} frames and ${String(breadcrumbs)} breadcrumbs, as text`,
      figures,
      notes,
    })
  }
  return tables
}

function row(
  name: string,
  values: readonly number[],
  { most, headline }: { most?: number; headline?: string } = {},
): Figure {
  const goals = most === undefined ? {} : { goals: [{ of: 'median' as const, most }] }
  return { name, unit: 'tokens', values, ...goals, ...(headline !== undefined && { headline }) }
}
