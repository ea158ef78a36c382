import type { EndpointName } from '../../contract/index.ts'
import type { Call, Handlers } from '../shared/context.ts'
import { requireProduct, requireRelease } from '../workspace/access.ts'
import { checkEtag, etagOf } from '../shared/etag.ts'
import { requireIssue } from '../errors/issues/access.ts'
import { viewEvent, viewSummaries } from '../errors/issues/read/event-view.ts'
import { readHistory } from '../errors/issues/read/history.ts'
import { viewIssues } from '../errors/issues/read/issue-view.ts'
import { listIssueRows } from '../errors/issues/read/list.ts'
import { environmentNames, releaseNames } from '../workspace/names.ts'
import { findOccurrence, latestOccurrence, listOccurrenceRows } from '../errors/issues/read/occurrences.ts'
import { presenceOf } from '../errors/issues/read/presence.ts'
import { readStats } from '../errors/issues/read/stats.ts'
import { changeStatus, releaseContexts, type StatusChange } from '../errors/issues/status.ts'
import { readPage } from '../shared/paging.ts'
import type { Rows } from '../sql/database.ts'

const FRAMES_PER_STACK = 100
const RELEASES_SHOWN = 20

export const issueHandlers = {
  async listIssues(input, call) {
    const { db, principal } = call
    const product = await requireProduct(db.read, principal, input.product_id)
    const { product_id: _product, page_size: _size, page_token: _token, sort = 'last_seen', ...filter } = input
    const query = { product, filter, sort, page: readPage(input), now: call.now() }
    const { issues, paging } = await listIssueRows(db.read, query)
    return { issues: await viewIssues(db.read, issues, viewing(product, call)), ...paging }
  },

  async getIssue({ id, environment_id }, call) {
    const { db, principal, symbolicator } = call
    const { issue, product } = await requireIssue(db.read, principal, id)
    const [body] = await viewIssues(db.read, [issue], viewing(product, call))
    const latest = await latestOccurrence(db.read, id, environment_id)
    const options = { symbolicator, product, maxFrames: FRAMES_PER_STACK, includeRaw: false }
    return {
      issue: body!,
      latest_event: latest === undefined ? null : await viewEvent(db.read, latest, options),
      releases: await releasesOf(db.read, id),
      history: await readHistory(db.read, id),
    }
  },

  async listIssueEvents(input, call) {
    const { db, principal } = call
    await requireIssue(db.read, principal, input.id)
    const query = { issueId: input.id, filter: input, page: readPage(input), now: call.now() }
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

  async getIssueStats({ id, period = '7d', environment_id: environmentId }, call) {
    await requireIssue(call.db.read, call.principal, id)
    return { stats: await readStats(call.db.read, { issueId: id, period, environmentId, now: call.now() }) }
  },

  async listReleaseIssues(input, call) {
    const { db, principal } = call
    const { release_id, include = 'new', status, levels } = input
    const { product } = await requireRelease(db.read, principal, release_id)
    const which = include === 'new' ? { first_release_id: release_id } : { regressed_release_id: release_id }
    const filter = { status, levels, ...which }
    const query = { product, filter, sort: 'last_seen' as const, page: readPage(input), now: call.now() }
    const { issues, paging } = await listIssueRows(db.read, query)
    return { issues: await viewIssues(db.read, issues, viewing(product, call)), ...paging }
  },

  async setIssueStatus({ id, status, note = '', etag }, call) {
    return call.db.write(async (rows) => {
      const { issue, product } = await requireIssue(rows, call.principal, id)
      checkEtag(etag, etagOf(issue.id, issue.version))
      const [context = ''] = (await contextsFor(rows, product, [id], status)).values()
      await changeStatus(rows, call, issue, { status, note, reason: 'manual', context })
      const [body] = await readIssues(rows, call, product, [id])
      return { issue: body! }
    })
  },

  async bulkSetIssueStatus({ product_id, issue_ids, status, note = '' }, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, product_id)
      const ids = [...new Set(issue_ids)]
      const found = await issuesById(rows, product, ids)
      const contexts = await contextsFor(rows, product, [...found.keys()], status)
      let updated = 0
      for (const issue of found.values()) {
        const context = contexts.get(issue.id) ?? ''
        if (await changeStatus(rows, call, issue, { status, note, reason: 'bulk', context })) updated += 1
      }
      return {
        issues: await readIssues(rows, call, product, ids),
        updated_count: updated,
        unchanged_count: found.size - updated,
        not_found_ids: ids.filter((id) => !found.has(id)),
      }
    })
  },
} satisfies Partial<Handlers<EndpointName>>

interface IssueProduct {
  id: number
  key_prefix: string
}

function viewing(product: IssueProduct, call: Pick<Call, 'now'>) {
  return { keyPrefix: product.key_prefix, now: call.now() }
}

/** What the issues are resolved in, by id; empty for every other status. */
async function contextsFor(
  rows: Rows,
  product: IssueProduct,
  issueIds: readonly string[],
  status: StatusChange['status'],
): Promise<Map<string, string>> {
  return status === 'resolved' && issueIds.length > 0 ? releaseContexts(rows, product.id, issueIds) : new Map()
}

/** Those of the ids that are issues of the product, in the order of the ids. */
async function issuesById(rows: Rows, product: IssueProduct, ids: readonly string[]) {
  const found = await rows
    .selectFrom('issue')
    .selectAll()
    .where('product_id', '=', product.id)
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(found.map((issue) => [issue.id, issue]))
  return new Map(ids.flatMap((id) => (byId.has(id) ? [[id, byId.get(id)!] as const] : [])))
}

async function readIssues(rows: Rows, call: Call, product: IssueProduct, ids: readonly string[]) {
  const issues = await issuesById(rows, product, ids)
  return viewIssues(rows, [...issues.values()], viewing(product, call))
}

async function releasesOf(rows: Rows, issueId: string) {
  const places = (await presenceOf(rows, issueId)).filter((place) => place.release_id !== '').slice(0, RELEASES_SHOWN)
  const releases = await releaseNames(
    rows,
    places.map((place) => place.release_id),
  )
  const environments = await environmentNames(
    rows,
    places.map((place) => place.environment_id),
  )
  return places.map((place) => ({
    id: place.release_id,
    version: releases.get(place.release_id)?.version ?? '',
    known: releases.get(place.release_id)?.known ?? false,
    environment: environments.get(place.environment_id)?.name ?? '',
    environment_known: environments.get(place.environment_id)?.known ?? false,
    events: place.count,
  }))
}
