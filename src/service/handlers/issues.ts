import type { EndpointName } from '../../contract/index.ts'
import type { Call, Handlers } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { readJson } from '../sql/json.ts'
import { StoredSettings } from '../workspace/settings.ts'
import { requireProduct, requireRelease } from '../workspace/access.ts'
import { idToMatch } from '../workspace/releases/environments.ts'
import { checkEtag, computeEtag } from '../shared/etag.ts'
import { requireIssue } from '../errors/issues/access.ts'
import { viewComparedEvents } from '../errors/issues/read/compared-events.ts'
import { viewEvent, viewSummaries } from '../errors/issues/read/event-view.ts'
import { readHistory } from '../errors/issues/read/history.ts'
import { viewIssues } from '../errors/issues/read/issue-view.ts'
import { listIssueRows } from '../errors/issues/read/list/list.ts'
import { findOccurrence, latestOccurrence, listOccurrenceRows } from '../errors/issues/read/occurrences.ts'
import type { StoredIssue } from '../errors/issues/columns.ts'
import { viewReopening } from '../errors/issues/read/reopening.ts'
import { readStatusDetails } from '../errors/issues/status-request.ts'
import { readIssueReleases } from '../errors/issues/read/issue-releases.ts'
import { readStats } from '../errors/issues/read/stats.ts'
import { changeStatuses, findIssues } from '../errors/issues/change-statuses.ts'
import { viewTime } from '../shared/view-time.ts'
import { readPage } from '../shared/paging.ts'

const FRAMES_PER_STACK = 100
const BREADCRUMBS = 100

export const issueHandlers = {
  async listIssues(input, call) {
    const { db, principal } = call
    const product = await requireProduct(db.read, principal, input.product_id)
    const { product_id: _product, page_size: _size, page_token: _token, sort = 'last_seen', ...filter } = input
    const query = { product, filter, sort, page: readPage(call, input), now: call.now() }
    const { issues, paging, changesAt } = await listIssueRows(db.read, query)
    call.changesAt?.(changesAt)
    return { issues: await viewIssues(db.read, issues, viewing(product, call)), ...paging }
  },

  async getIssue({ id, environment_id }, call) {
    const { db, principal, symbolicator } = call
    const { issue, product } = await requireIssue(db.read, principal, id)
    const viewLatest = async () => {
      const latest = await latestOccurrence(db.read, id, environment_id)
      const options = { symbolicator, product, maxFrames: FRAMES_PER_STACK, includeRaw: false }
      return latest === undefined ? null : viewEvent(db.read, latest, options)
    }
    // A server answers them at the same time.
    const [[body], latest, releases, history] = await Promise.all([
      viewSingly(db.read, [issue], product, call),
      viewLatest(),
      readIssueReleases(db.read, id),
      readHistory(db.read, issue),
    ])
    return { issue: body!, latest_event: latest, releases, history }
  },

  async listIssueEvents(input, call) {
    const { db, principal } = call
    const { product } = await requireIssue(db.read, principal, input.id)
    const subject = { issueId: input.id, productId: product.id }
    const query = { ...subject, filter: input, page: readPage(call, input), ...viewTime(call) }
    const { rows, paging } = await listOccurrenceRows(db.read, query)
    return { events: await viewSummaries(db.read, rows), ...paging }
  },

  async getIssueEvent({ id, event_id, max_frames, include_raw }, { db, principal, symbolicator }) {
    const { product } = await requireIssue(db.read, principal, id)
    const occurrence = await findOccurrence(db.read, id, event_id)
    const maxFrames = max_frames ?? FRAMES_PER_STACK
    const options = { symbolicator, product, maxFrames, includeRaw: include_raw ?? false }
    return { event: await viewEvent(db.read, occurrence, options) }
  },

  async getIssueEvents({ id, event_ids, ...input }, { db, principal, symbolicator }) {
    await requireIssue(db.read, principal, id)
    const { max_frames: maxFrames = FRAMES_PER_STACK, max_breadcrumbs: maxBreadcrumbs = BREADCRUMBS } = input
    return viewComparedEvents(db.read, { issueId: id, ids: event_ids, symbolicator, maxFrames, maxBreadcrumbs })
  },

  async getIssueStats({ id, period = '7d', environment_id: named }, call) {
    const { db, principal } = call
    const { issue } = await requireIssue(db.read, principal, id)
    const environmentId = await idToMatch(db.read, named)
    return { stats: await readStats(db.read, { issue, period, environmentId, now: call.now() }) }
  },

  async listReleaseIssues(input, call) {
    const { db, principal } = call
    const { release_id, include = 'new', status, levels } = input
    const { product } = await requireRelease(db.read, principal, release_id)
    const which = include === 'new' ? { first_release_id: release_id } : { regressed_release_id: release_id }
    const filter = { status, levels, ...which }
    const query = { product, filter, sort: 'last_seen' as const, page: readPage(call, input), now: call.now() }
    const { issues, paging } = await listIssueRows(db.read, query)
    return { issues: await viewIssues(db.read, issues, viewing(product, call)), ...paging }
  },

  async setIssueStatus({ id, note = '', etag, ...input }, call) {
    return call.db.write(async (rows) => {
      const { issue, product } = await requireIssue(rows, call.principal, id)
      checkEtag(etag, computeEtag(issue.id, issue.version))
      const details = await readStatusDetails(rows, { productId: product.id, now: call.now() }, input)
      const { status } = input
      await changeStatuses(rows, call, product.id, [issue], { status, note, reason: 'manual', ...details })
      const [body] = await viewSingly(rows, await findIssues(rows, product.id, [id]), product, call)
      return { issue: body! }
    })
  },

  async bulkSetIssueStatus({ product_id, issue_ids, note = '', ...input }, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, product_id)
      const ids = [...new Set(issue_ids)]
      const found = await findIssues(rows, product.id, ids)
      const details = await readStatusDetails(rows, { productId: product.id, now: call.now() }, input)
      const change = { status: input.status, note, reason: 'bulk' as const, ...details }
      const updated = await changeStatuses(rows, call, product.id, found, change)
      return {
        issues: await viewSingly(rows, await findIssues(rows, product.id, ids), product, call),
        updated_count: updated,
        unchanged_count: found.length - updated,
        not_found_ids: ids.filter((id) => !found.some((issue) => issue.id === id)),
      }
    })
  },
} satisfies Partial<Handlers<EndpointName>>

function viewing(product: { key_prefix: string }, call: Pick<Call, 'now' | 'changesAt'>) {
  return { keyPrefix: product.key_prefix, ...viewTime(call) }
}

/** Issues with what reopens them, which lists leave out. */
async function viewSingly(
  rows: Rows,
  issues: readonly StoredIssue[],
  product: { key_prefix: string; settings: string },
  call: Pick<Call, 'now'>,
) {
  const { reopen_on_regression: reopens } = readJson(StoredSettings, product.settings)
  const [reopening, bodies] = await Promise.all([
    viewReopening(rows, issues, reopens),
    viewIssues(rows, issues, viewing(product, call)),
  ])
  return bodies.map((body) => {
    const own = reopening.get(body.id)
    return own === undefined ? body : { ...body, reopening: own }
  })
}
