import type { Api } from '../../client/api.ts'
import { Capabilities } from '../../client/capabilities/capabilities.ts'
import { createApi } from '../../client/client.ts'
import { networkSend } from '../../client/transport.ts'
import type { Config } from '../../config.ts'
import type { Send } from '../../contract/base/wire.ts'
import { failures, ServiceError } from '../../errors.ts'
import { isNotOffered } from '../../mcp/resolve/offered.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { findProduct } from '../support/check-product.ts'
import { remedy } from '../support/failure-line.ts'
import { plain, type Finding } from '../support/finding.ts'
import { compareClock } from './clock.ts'
import { offerLines } from './report.ts'
import { askAll, failureWords, type Known, type Outcomes } from './survey.ts'
import { tryFilters } from './try-filters.ts'

/** The longest wait for one answer, and for all of them. */
const ANSWER_MS = 10_000
const ALL_MS = 25_000

const ROOM_UNKNOWN = 'What takes room there is not known: no endpoint says it. Run doctor where the data directory is.'

interface Deployment {
  baseUrl: string
  token: string
  proxy?: Config['proxy']
}

/** Calls the service with the token. */
export async function checkService(deployment: Deployment): Promise<Finding> {
  const send = networkSend({ timeoutMs: ANSWER_MS, proxy: deployment.proxy })
  try {
    const signal = AbortSignal.timeout(ALL_MS)
    return (await readMe(createApi({ ...deployment, send, retries: 1 }), deployment, signal)).finding
  } finally {
    await send.close()
  }
}

/** Whether the deployment can be used, and what it offers, in lines to print; found out by reads alone. */
export async function checkDeployment(
  deployment: Deployment,
  pinned: string | undefined,
): Promise<{ findings: Finding[]; lines: string[] }> {
  const send = networkSend({ timeoutMs: ANSWER_MS, proxy: deployment.proxy })
  try {
    return await survey(deployment, pinned, send)
  } finally {
    await send.close()
  }
}

async function survey(deployment: Deployment, pinned: string | undefined, send: Send) {
  let requests = 0
  let clock: Finding | undefined
  const counting: Send = async (request) => {
    requests += 1
    const reply = await send(request)
    clock ??= compareClock(reply.headers['date'], Date.now())
    return reply
  }
  const capabilities = new Capabilities()
  const client = { ...deployment, send: counting }
  const signal = AbortSignal.timeout(ALL_MS)
  const me = await readMe(createApi({ ...client, retries: 1 }), deployment, signal)
  const clocks = clock === undefined ? [] : [clock]
  if (!me.finding.ok && !me.isMissing) return { findings: [...clocks, me.finding], lines: [] }
  const api = createApi({ ...client, capabilities })
  const found = await findProduct(api, pinned, signal)
  // Without auth/me only the products show that the address is right.
  const service = me.isMissing && found.finding.ok ? withoutMe(deployment) : me.finding
  const findings = [
    ...clocks,
    service,
    ...(service.ok && (pinned !== undefined || !found.finding.ok) ? [found.finding] : []),
  ]
  const { product } = found
  if (product === undefined) return { findings, lines: [] }
  const known: Known = knownFrom(product)
  const outcomes = await askAll(api, known, signal)
  const plainApi = createApi({ ...client, capabilities: new Capabilities({ isComplete: true }) })
  const filters = await tryFilters(outcomes, { plainApi, capabilities, known, signal })
  const lines = offerLines({ outcomes, filters, capabilities, serverName: me.serverName })
  const title = `What it offers, asked for with ${String(requests)} reads of the product ${product.name ?? product.id}:`
  return {
    findings: [...findings, ...checkIssues(outcomes, deployment)],
    lines: ['', plain(title), ...lines, '', ROOM_UNKNOWN],
  }
}

interface Me {
  finding: Finding
  serverName: string | undefined
  isMissing: boolean
}

async function readMe(api: Api, { baseUrl }: Deployment, signal: AbortSignal): Promise<Me> {
  const what = 'service'
  try {
    const { user, server } = await api.getMe({}, { signal })
    const name = server?.name === undefined ? 'a service' : `${server.name} ${server.version ?? ''}`.trim()
    const found = `${name} at ${baseUrl} accepts the token of ${user.email ?? user.id}`
    return { finding: { what, ok: true, found }, serverName: server?.name, isMissing: false }
  } catch (error) {
    const found = failureWords(error, signal)
    const finding = { what, ok: false, found, fix: suggestedFix(error, baseUrl) }
    return { finding, serverName: undefined, isMissing: isNotOffered(error) }
  }
}

function withoutMe({ baseUrl }: Deployment): Finding {
  return { what: 'service', ok: true, found: `a service at ${baseUrl} answers; it does not say whose token this is` }
}

/** Issues are what a deployment cannot do without. */
function checkIssues(outcomes: Outcomes, { baseUrl }: Deployment): Finding[] {
  const issues = outcomes.get('listIssues')
  if (issues?.state !== 'missing' && issues?.state !== 'failed') return []
  const found = issues.state === 'missing' ? 'this deployment does not list issues' : issues.why
  const fix = `check that ${baseUrl} is the address of the whole API, and that the token may read issues`
  return [{ what: 'issues', ok: false, found, fix }]
}

function knownFrom(product: Product): Known {
  const { id, workspace_id: workspace } = product
  return new Map([
    ['products', { id }],
    ...(workspace === undefined ? [] : [['workspaces', { id: workspace }] as const]),
  ])
}

function suggestedFix(error: unknown, baseUrl: string): string {
  const code = error instanceof ServiceError ? error.code : 'unavailable'
  if (code === 'unavailable') return `check that ${baseUrl} is right, up and reachable from this machine`
  if (code === 'upstream_shape_unknown' || code === 'not_found' || code === 'unimplemented') {
    return `${baseUrl} does not answer like the service: set TRACEGATE_BASE_URL to its address without /v1`
  }
  return (error instanceof ServiceError ? remedy(error) : undefined) ?? failures[code].hint
}
