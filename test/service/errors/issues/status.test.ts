import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import { startApp } from '../../../app.ts'
import { openRig } from './rig.ts'

test('a status change records who made it and why, and can be taken back', async () => {
  await using app = await startApp()
  await app.ingest({})
  const list = await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)
  const { id } = list.body.issues[0]!
  const resolved = await app.request<ResponseOf<'setIssueStatus'>>('POST', `/v1/issues/${id}:setStatus`, {
    status: 'resolved',
    note: 'fixed in #7',
  })
  expect(resolved.body.issue).toMatchObject({
    status: 'resolved',
    status_note: 'fixed in #7',
    status_changed_by: { type: 'ACTOR_TYPE_API_TOKEN' },
  })
  await app.request('POST', `/v1/issues/${id}:setStatus`, { status: 'unresolved' })
  const { body } = await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${id}`)
  expect(body.issue).toMatchObject({ status: 'unresolved', status_note: '', is_regression: false })
  expect(body.history.map(({ from, to, note, reason }) => [from, to, note, reason])).toEqual([
    ['resolved', 'unresolved', '', 'manual'],
    ['unresolved', 'resolved', 'fixed in #7', 'manual'],
  ])
  expect(body.history[0]!.actor.user_id).not.toBe('')
  const audited = await app.db.read.selectFrom('audit').selectAll().where('resource_id', '=', id).execute()
  expect(audited.map(({ verb }) => verb)).toEqual(['set_status', 'set_status'])
  expect(audited[0]!.after_hash).toBe(audited[1]!.before_hash)
})

test('the status an issue has already is no change: no history, same etag', async () => {
  await using rig = await openRig()
  await rig.append({})
  const [before] = await rig.issues()
  const { issue } = await rig.handlers.setIssueStatus({ id: before!.id, status: 'unresolved', note: 'again' }, rig.call)
  expect(issue).toEqual({ ...before, vouched_by: 'member' })
  expect((await rig.handlers.getIssue({ id: before!.id }, rig.call)).history).toEqual([])
})

test('a stale etag is refused and changes nothing; events do not make one stale', async () => {
  await using rig = await openRig()
  await rig.append({})
  const { id, etag } = (await rig.issues())[0]!
  await rig.append({})
  await rig.handlers.setIssueStatus({ id, status: 'ignored', etag }, rig.call)
  const late = rig.handlers.setIssueStatus({ id, status: 'resolved', etag }, rig.call)
  await expect(late).rejects.toMatchObject({ code: 'aborted', reason: 'ETAG_MISMATCH' })
  expect((await rig.issues())[0]!.status).toBe('ignored')
})

test('a dry run answers like the change and writes nothing, for one issue and for many', async () => {
  await using app = await startApp()
  await app.ingest({})
  const list = async () =>
    (await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)).body.issues
  const before = (await list())[0]!
  const dry = { status: 'resolved', validate_only: true }
  const one = await app.request<ResponseOf<'setIssueStatus'>>('POST', `/v1/issues/${before.id}:setStatus`, dry)
  expect(one.body.issue.status).toBe('resolved')
  const path = `/v1/products/${app.productId}/issues:bulkSetStatus`
  const many = await app.request('POST', path, { ...dry, issue_ids: [before.id, 'unknown'] })
  expect(many.body).toMatchObject({ updated_count: 1, unchanged_count: 0, not_found_ids: ['unknown'] })
  expect(await list()).toEqual([before])
  const after = await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${before.id}`)
  expect(after.body.history).toEqual([])
})

test('a bulk change is one transaction over the issues of one product; others are not found', async () => {
  await using rig = await openRig()
  for (const kind of ['a', 'b', 'c']) await rig.append({ kind })
  const [a, b, c] = (await rig.issues()).map(({ id }) => id) as [string, string, string]
  const otherProduct = await rig.newProduct('OTHER')
  await rig.store.append(otherProduct, rig.crash({ kind: 'foreign' }))
  const foreign = (await rig.handlers.listIssues({ product_id: String(otherProduct) }, rig.call)).issues[0]!.id
  await rig.handlers.setIssueStatus({ id: b, status: 'resolved' }, rig.call)
  const input = { product_id: rig.product_id, issue_ids: [c, foreign, b, c, 'nothing', a], status: 'resolved' as const }
  const answer = await rig.handlers.bulkSetIssueStatus({ ...input, note: 'release 2' }, rig.call)
  expect({ ...answer, issues: answer.issues.map(({ id, status }) => [id, status]) }).toEqual({
    issues: [
      [c, 'resolved'],
      [b, 'resolved'],
      [a, 'resolved'],
    ],
    updated_count: 2,
    unchanged_count: 1,
    not_found_ids: [foreign, 'nothing'],
  })
  const { history } = await rig.handlers.getIssue({ id: a }, rig.call)
  expect(history).toMatchObject([{ from: 'unresolved', to: 'resolved', note: 'release 2', reason: 'bulk' }])
  const untouched = await rig.handlers.getIssue({ id: foreign }, rig.call)
  expect(untouched.issue.status).toBe('unresolved')
})

test('products, issues and releases of a workspace one is not a member of do not exist', async () => {
  await using rig = await openRig()
  await rig.append({ release: '1.0' })
  const { id } = (await rig.issues())[0]!
  const { latest_event: event, releases } = await rig.handlers.getIssue({ id }, rig.call)
  const stranger = { ...rig.call, principal: { ...rig.call.principal, workspaceIds: ['elsewhere'] } }
  const { handlers, product_id } = rig
  const attempts = [
    handlers.listIssues({ product_id }, stranger),
    handlers.getIssue({ id }, stranger),
    handlers.listIssueEvents({ id }, stranger),
    handlers.getIssueEvent({ id, event_id: event!.id }, stranger),
    handlers.getIssueEvents({ id, event_ids: [event!.id] }, stranger),
    handlers.getIssueStats({ id }, stranger),
    handlers.listReleaseIssues({ release_id: releases[0]!.id }, stranger),
    handlers.setIssueStatus({ id, status: 'resolved' }, stranger),
    handlers.bulkSetIssueStatus({ product_id, issue_ids: [id], status: 'resolved' }, stranger),
  ]
  for (const attempt of await Promise.allSettled(attempts)) {
    expect(attempt).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
  }
  expect((await rig.issues())[0]!.status).toBe('unresolved')
})

test('an issue is resolved in the newest releases of known environments and of those it occurred in', async () => {
  await using rig = await openRig()
  const elsewhere = Array.from({ length: 60 }, (_, index) => ({
    kind: 'loud',
    environment: `e${index}`,
    release: '1.0',
  }))
  await Promise.all(elsewhere.map((crash) => rig.append(crash)))
  await rig.append({ kind: 'loud', environment: 'staging', release: '1.0' })
  await rig.append({ kind: 'quiet', environment: 'e7', release: '1.1' })
  // As an uploaded source map makes them known, whose environments stay unknown.
  await rig.db.write((rows) => rows.updateTable('release').set({ origin: 'ORIGIN_MANUAL' }).execute())
  await rig.append({ kind: 'loud', environment: 'named by events alone', release: '1.0' })
  const issues = await rig.issues()
  const issue_ids = issues.map(({ id }) => id)
  await rig.handlers.bulkSetIssueStatus({ product_id: rig.product_id, issue_ids, status: 'resolved' }, rig.call)
  const stored = await rig.db.read.selectFrom('issue').select('resolved_in').orderBy('number').execute()
  const [loud, quiet] = stored.map(({ resolved_in }) => Object.keys(JSON.parse(resolved_in!)).length)
  expect([loud, quiet]).toEqual([61, 2])
})
