import { expect, test } from 'vitest'
import type { InputOf, ResponseOf } from '../../../../src/contract/index.ts'
import { startApp } from '../../../app.ts'
import { reasonOf, type Failure } from '../../people.ts'
import { dayMs, openRig, type Rig } from './rig.ts'

type FixedIn = InputOf<'setIssueStatus'>['fixed_in']

/** An issue of shop@1.4.1, the newest of three known releases. */
async function openShop() {
  const rig = await openRig()
  for (const version of ['shop@1.3.0', 'shop@1.4.0', 'shop@1.4.1']) {
    await rig.release(version)
    rig.clock.now += 1000
  }
  await rig.append({ release: 'shop@1.4.1' })
  const [issue] = await rig.issues()
  return { rig, id: issue!.id }
}

async function resolve(rig: Rig, id: string, fixed_in?: FixedIn) {
  rig.clock.now += 1000
  const { issue } = await rig.handlers.setIssueStatus({ id, status: 'resolved', fixed_in }, rig.call)
  rig.clock.now += 1000
  return issue
}

async function statusAfter(rig: Rig, id: string, release: string, environment?: string) {
  await rig.append({ release, ...(environment !== undefined && { environment }) })
  return (await rig.handlers.getIssue({ id }, rig.call)).issue.status
}

test('fixed in a release: only that one and later ones reopen, by id or version, in every environment', async () => {
  const { rig, id } = await openShop()
  await using _ = rig
  const release = await rig.release('shop@1.4.2', 'staging', { commit_sha: 'abcdef1234567890' })
  for (const named of [release, 'shop@1.4.2']) {
    const issue = await resolve(rig, id, { release: named })
    expect(issue.fixed_in).toEqual({
      kind: 'release',
      release: { id: release, version: 'shop@1.4.2', known: true },
      commit: '',
    })
  }
  for (const older of ['shop@1.4.1', 'shop@9.9.9', '']) expect(await statusAfter(rig, id, older)).toBe('resolved')
  await rig.release('shop@1.3.1')
  expect(await statusAfter(rig, id, 'shop@1.3.1')).toBe('resolved')
  expect(await statusAfter(rig, id, 'shop@1.4.2', 'staging')).toBe('unresolved')
  await resolve(rig, id, { release: 'shop@1.4.2' })
  await rig.release('shop@1.5.0')
  expect(await statusAfter(rig, id, 'shop@1.5.0')).toBe('unresolved')
})

test('fixed in the next release: the first one that a member records after the newest known one reopens', async () => {
  const { rig, id } = await openShop()
  await using _ = rig
  const issue = await resolve(rig, id, 'next')
  expect(issue.fixed_in).toEqual({ kind: 'next', release: null, commit: '' })
  expect(issue.reopening).toMatchObject({
    reopens: true,
    without_release: false,
    environments: [{ environment: 'production', rule: 'after', release: { version: 'shop@1.4.1', known: true } }],
  })
  for (const older of ['shop@1.4.1', 'shop@1.4.2', '']) expect(await statusAfter(rig, id, older)).toBe('resolved')
  await rig.release('shop@1.3.9')
  expect(await statusAfter(rig, id, 'shop@1.3.9')).toBe('resolved')
  await rig.release('shop@1.4.2')
  expect(await statusAfter(rig, id, 'shop@1.4.2')).toBe('unresolved')
})

test('fixed in a commit: its release when one is known, else the next one', async () => {
  const { rig, id } = await openShop()
  await using _ = rig
  const sha = 'c0ffee1234567890c0ffee1234567890c0ffee12'
  const pending = await resolve(rig, id, { commit: sha.slice(0, 8).toUpperCase() })
  expect(pending.fixed_in).toEqual({ kind: 'commit', release: null, commit: 'c0ffee12' })
  // A member records releases in between: the commit is found in the second one.
  const release = await rig.release('shop@1.6.0', 'staging', { commit_sha: sha })
  await rig.release('shop@1.5.0')
  expect(await statusAfter(rig, id, 'shop@1.5.0')).toBe('resolved')
  const { issue } = await rig.handlers.getIssue({ id }, rig.call)
  expect(issue.fixed_in?.release).toEqual({ id: release, version: 'shop@1.6.0', known: true })
  await rig.release('shop@1.6.1')
  expect(await statusAfter(rig, id, 'shop@1.6.1')).toBe('unresolved')
  await resolve(rig, id, { commit: 'badc0de' })
  await rig.release('shop@1.6.2')
  expect(await statusAfter(rig, id, 'shop@1.6.2')).toBe('unresolved')
})

test('another fixed_in is a change with history and audit; the same again is none', async () => {
  const { rig, id } = await openShop()
  await using _ = rig
  const all: FixedIn[] = [
    { commit: 'c0ffee1' },
    'next',
    { release: 'next' },
    { release: 'shop@1.4.1' },
    undefined,
    undefined,
  ]
  for (const fixed_in of all) await resolve(rig, id, fixed_in)
  const { history, issue } = await rig.handlers.getIssue({ id }, rig.call)
  const kinds = history.map(({ from, to, fixed_in }) => [from, to, fixed_in?.kind, fixed_in?.commit || undefined])
  expect(kinds).toEqual([
    ['resolved', 'resolved', undefined, undefined],
    ['resolved', 'resolved', 'release', undefined],
    ['resolved', 'resolved', 'next', undefined],
    ['unresolved', 'resolved', 'commit', 'c0ffee1'],
  ])
  expect(issue.fixed_in).toBeUndefined()
  const audited = await rig.db.read.selectFrom('audit').select('after_hash').where('resource_id', '=', id).execute()
  expect(new Set(audited.map(({ after_hash }) => after_hash)).size).toBe(4)
})

test('what was resolved in a release that never comes is still firing after 7 days', async () => {
  const { rig, id } = await openShop()
  await using _ = rig
  const read = async () => (await rig.handlers.getIssue({ id }, rig.call)).issue.still_firing
  const { status_changed_at: since } = await resolve(rig, id, 'next')
  await rig.append({ release: 'shop@1.4.1' })
  rig.clock.now += 8 * dayMs
  // Nothing since the first hours: that is no longer firing.
  expect(await read()).toBeUndefined()
  await rig.append({ release: 'shop@1.4.1' })
  await rig.append({})
  expect(await read()).toEqual({ since, events: 3 })
  expect((await rig.issues())[0]!.still_firing).toEqual({ since, events: 3 })
  rig.clock.now += 15 * dayMs
  expect(await read()).toBeUndefined()
  await rig.append({})
  expect(await read()).toMatchObject({ events: 4 })
  await resolve(rig, id)
  expect(await read()).toBeUndefined()
})

test('occurrences of older releases are not still firing once the fixed release has come; those of unknown ones are', async () => {
  const { rig, id } = await openShop()
  await using _ = rig
  await resolve(rig, id, 'next')
  await rig.release('shop@1.4.2')
  rig.clock.now += 8 * dayMs
  await rig.append({ release: 'shop@1.4.1' })
  expect((await rig.issues())[0]!.still_firing).toBeUndefined()
  await resolve(rig, id)
  rig.clock.now += 8 * dayMs
  await rig.append({ release: 'shop@1.4.1' })
  await rig.append({ release: 'shop@1.5.0' })
  expect((await rig.issues())[0]!.still_firing).toMatchObject({ events: 1 })
})

test('what does not fit is refused with the name of the field and a reason, and changes nothing', async () => {
  await using app = await startApp()
  await app.ingest({ release: 'shop@9.9.9' })
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  const refused: [Record<string, unknown>, string][] = [
    [{ status: 'ignored', fixed_in: 'next' }, 'fixed_in'],
    [{ status: 'unresolved', fixed_in: 'next' }, 'fixed_in'],
    [{ status: 'resolved', ignore_until: { count: 1 } }, 'ignore_until'],
    [{ status: 'resolved', fixed_in: {} }, 'fixed_in'],
    [{ status: 'resolved', fixed_in: { release: 'shop@1.4.0', commit: 'c0ffee1' } }, 'fixed_in'],
    [{ status: 'resolved', fixed_in: { release: 'next', commit: 'c0ffee1' } }, 'fixed_in'],
    [{ status: 'resolved', fixed_in: { release: 'shop@9.9.9' } }, 'fixed_in.release'],
    [{ status: 'resolved', fixed_in: { release: 'none' } }, 'fixed_in.release'],
    [{ status: 'resolved', fixed_in: { commit: 'main' } }, 'fixed_in'],
    [{ status: 'resolved', fixed_in: 'soon' }, 'fixed_in'],
    [{ status: 'ignored', ignore_until: {} }, 'ignore_until'],
    [{ status: 'ignored', ignore_until: { count: 1, release: 'next' } }, 'ignore_until'],
    [{ status: 'ignored', ignore_until: { count: 0 } }, 'ignore_until.count'],
    [{ status: 'ignored', ignore_until: { until: '2001-01-01T00:00:00Z' } }, 'ignore_until.until'],
    [{ status: 'ignored', ignore_until: { until: '7 days' } }, 'ignore_until.until'],
  ]
  for (const [body, field] of refused) {
    const one = await app.request<Failure>('POST', `/v1/issues/${issues[0]!.id}:setStatus`, body)
    const path = `/v1/products/${app.productId}/issues:bulkSetStatus`
    const many = await app.request<Failure>('POST', path, { ...body, issue_ids: [issues[0]!.id] })
    for (const answer of [one, many]) {
      expect([answer.status, reasonOf(answer)]).toEqual([400, 'FIELD_INVALID'])
      expect(JSON.stringify(answer.body)).toContain(`"field":"${field}`)
    }
  }
  const after = await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${issues[0]!.id}`)
  expect(after.body).toMatchObject({ issue: { status: 'unresolved' }, history: [] })
})
