import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { toolTokens } from '../../src/dev/surface.ts'
import { instructions } from '../../src/mcp/surface/instructions.ts'
import { createListing } from '../../src/mcp/surface/listing.ts'
import { surface } from '../../src/surface.ts'
import { origin, startApp, type App } from '../app.ts'
import { connect, defaults, type Connected } from '../mcp/clients.ts'
import { sampleThings, callVariants } from '../mcp/checks/calls.ts'
import { fixedEvent } from './fixed-events.ts'

/** `npm run bench:tokens`: what lists and results cost a model, in o200k tokens, and how many requests a call makes. */
await using app = await startApp({ sample: true })
let requests = 0
const counting: Send = (request) => {
  requests += 1
  return app.service.direct(request)
}
const api = createApi({ send: counting, baseUrl: origin, token: app.token })
await using agent = await connect(api, { options: { toolsets: ['all'] } })

lists()
await results(app, agent)
await requestsOfCalls(app, agent)
await fixedEvents(app, agent)

function lists(): void {
  const standard = createListing(surface, defaults)
  const all = createListing(surface, { ...defaults, toolsets: ['all'] })
  const total = (tools: typeof all.tools) => tools.reduce((sum, tool) => sum + toolTokens(tool), 0)
  console.log('tool lists (name, description, input schema)')
  row('default', standard.tools.length, total(standard.tools))
  row('every toolset', all.tools.length, total(all.tools))
  for (const listed of all.tools) row(`  ${listed.tool.name}`, '', toolTokens(listed))
  row('instructions', '', countTokens(instructions(standard.offers)))
}

async function results({ api, productId }: App, client: Connected): Promise<void> {
  console.log('\nresults for the sample, text / JSON: min, median, max over the calls')
  const { issues } = await api.listIssues({ product_id: productId, page_size: 50 })
  const things = await sampleThings(app)
  for (const tool of surface.tools.filter(({ effect }) => effect === 'read')) {
    const perIssue = 'issue' in tool.input.shape
    const calls = perIssue
      ? issues.map(({ short_id: issue }) => ({ ...callVariants(tool, things)[0], issue }))
      : callVariants(tool, things)
    const found = (await Promise.all(calls.map((args) => client.call(tool.name, args)))).filter(
      ({ isError }) => !isError,
    )
    row(
      `  ${tool.name}`,
      `${String(found.length)} ${perIssue ? 'issues' : 'calls'}`,
      spread(found.map(({ text }) => countTokens(text))),
      spread(found.map(({ structured }) => countTokens(JSON.stringify(structured)))),
    )
    const usual = await client.call(tool.name, calls[0])
    row('    its first call', '', countTokens(usual.text), countTokens(JSON.stringify(usual.structured)))
  }
}

async function requestsOfCalls(target: App, client: Connected): Promise<void> {
  console.log(
    '\nrequests to the service, writes as previews, without tools that read local files: the first call, all calls',
  )
  const things = await sampleThings(target)
  for (const tool of surface.tools.filter(({ local }) => local !== true)) {
    const made: number[] = []
    for (const args of callVariants(tool, things)) {
      requests = 0
      await client.call(tool.name, args)
      made.push(requests)
    }
    row(
      `  ${tool.name}`,
      made[0] ?? 0,
      `${String(made.reduce((sum, count) => sum + count, 0))} in ${String(made.length)}`,
    )
  }
}

async function fixedEvents(target: App, client: Connected): Promise<void> {
  console.log('\nthe same event read by us and by others, text / JSON')
  for (const [frames, breadcrumbs, others] of [
    [11, 8, 'Sentry 1,205 + 371 for breadcrumbs, Rollbar 2,154, BugSnag 3,554'],
    [250, 100, 'Sentry 18,983, Rollbar 20,424, BugSnag 88,417'],
  ] as const) {
    await target.ingest(fixedEvent(frames, breadcrumbs))
    const { issues } = await target.api.listIssues({
      product_id: target.productId,
      q: `in a stack of ${String(frames)}`,
    })
    const issue = issues[0]?.short_id
    if (issue === undefined) throw new Error('the event did not arrive')
    console.log(`  ${String(frames)} frames, ${String(breadcrumbs)} breadcrumbs (${others})`)
    for (const [tool, args] of [
      ['get_fix_context', {}],
      ['get_fix_context', { max_frames: 100 }],
      ['get_error_issue', {}],
      ['get_error_issue', { detail: 'full' }],
    ] as const) {
      const { text, structured } = await client.call(tool, { issue, ...args })
      const [asked] = Object.values(args)
      row(`    ${tool}`, asked ?? '', countTokens(text), countTokens(JSON.stringify(structured)))
    }
  }
}

function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((one, other) => one - other)
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(String).join(', ')
}

function row(name: string, ...cells: (string | number)[]): void {
  console.log(name.padEnd(28) + cells.map((cell) => String(cell).padStart(18)).join(''))
}
