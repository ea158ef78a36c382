import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import { addPrincipal } from '../../mcp/http/principals.ts'
import { tokenHeaders } from '../people.ts'
import { done, startTree } from './branch-tree.ts'

test('the name of a branch is unique among the open ones, and a closed branch stays closed', async () => {
  await using app = await startTree()
  const { tree } = app
  const create = (body: object) => app.request<ResponseOf<'createBranch'>>('POST', `${tree.product}/branches`, body)
  const dry = await create({ name: 'Guests', validate_only: true })
  expect(dry.body.branch).toMatchObject({ name: 'Guests', state: 'BRANCH_STATE_OPEN' })
  const { branch } = done(await create({ name: ' Guests ', git_ref: 'feat/guests', request_id: 'once' }))
  expect(done(await create({ name: ' Guests ', git_ref: 'feat/guests', request_id: 'once' })).branch.id).toBe(branch.id)
  expect(branch).toMatchObject({ name: 'Guests', git_ref: 'feat/guests', source: { kind: 'BRANCH_SOURCE_MANUAL' } })
  expect(await create({ name: 'Guests' })).toMatchObject({ status: 409, body: { code: 6 } })

  const list = async (query = '') =>
    done(await app.request<ResponseOf<'listBranches'>>('GET', `${tree.product}/branches${query}`))
  const other = await tree.branch('Coupons')
  const first = await list('?page_size=1')
  expect(first.branches.map(({ name }) => name)).toEqual(['Coupons'])
  const second = await list(`?page_size=1&page_token=${first.next_page_token}`)
  expect(second.branches.map(({ name }) => name)).toEqual(['Guests'])

  const remove = (etag: string) => app.request('DELETE', `/v1/branches/${branch.id}?etag=${etag}`)
  await tree.requirement({ title: 'Guest checkout', branch_id: branch.id })
  expect((await remove(branch.etag)).status).toBe(409)
  const changed = (await tree.getBranch(branch.id)).branch
  expect((await remove(changed.etag)).status).toBe(200)
  const closed = await tree.getBranch(branch.id)
  expect(closed).toMatchObject({ branch: { state: 'BRANCH_STATE_CLOSED' }, changes: [{ title: 'Guest checkout' }] })
  expect((await list()).branches.map(({ id }) => id)).toEqual([other])
  expect((await list('?state=closed&name=Guests')).branches.map(({ id }) => id)).toEqual([branch.id])
  const reuse = await create({ name: 'Guests' })
  expect(reuse.status).toBe(200)

  const notOpen = { status: 400, body: { details: [{ reason: 'BRANCH_NOT_OPEN' }] } }
  expect(await remove('')).toMatchObject(notOpen)
  expect(await app.request('GET', `${tree.product}/requirements?branch_id=${branch.id}`)).toMatchObject(notOpen)
  const late = { title: 'Late', branch_id: branch.id }
  expect(await app.request('POST', `${tree.product}/requirements`, late)).toMatchObject(notOpen)
  const unknown = { status: 404, body: { details: [{ reason: 'BRANCH_NOT_FOUND' }] } }
  expect(await app.request('GET', `${tree.product}/requirements?branch_id=nowhere`)).toMatchObject(unknown)
})

test('a branch is of one product, and of the members of its workspace', async () => {
  await using app = await startTree()
  const { tree } = app
  const branch = await tree.branch()
  const workspaces = await app.request<ResponseOf<'listWorkspaces'>>('GET', '/v1/workspaces')
  const second = await app.request<ResponseOf<'createProduct'>>(
    'POST',
    `/v1/workspaces/${workspaces.body.workspaces[0]!.id}/products`,
    { name: 'Other', key_prefix: 'OTH' },
  )
  const other = `/v1/products/${second.body.product.id}/requirements`
  const elsewhere = done(await app.request<ResponseOf<'createRequirement'>>('POST', other, { title: 'Elsewhere' }))
  for (const path of [other, `/v1/requirements/${elsewhere.requirement.id}`])
    expect(await app.request('GET', `${path}?branch_id=${branch}`)).toMatchObject({
      status: 404,
      body: { details: [{ reason: 'BRANCH_NOT_FOUND' }] },
    })
  const stranger = await tokenHeaders(app, { stranger: true })
  expect((await app.request('GET', `/v1/branches/${branch}`, undefined, stranger)).status).toBe(404)
})

test('on a branch, things of another workspace are answered as ones that do not exist', async () => {
  await using app = await startTree()
  const { tree } = app
  const branch = await tree.branch()
  const sums = await tree.test({ title: 'sums up' })
  const other = await addPrincipal(app, 'other', 'OTHER')
  const theirs = { authorization: `Bearer ${other.token}` }
  const at = `/v1/products/${other.product}`
  const { requirements } = done(
    await app.request<ResponseOf<'listRequirements'>>('GET', `${at}/requirements`, undefined, theirs),
  )
  const requirement = requirements[0]!.id
  const created = await app.request<ResponseOf<'createTest'>>(
    'POST',
    `${at}/tests`,
    { kind: 'case', title: 'theirs', requirement_ids: [requirement] },
    theirs,
  )
  const test_ = done(created).test.id
  const requests = (kind: 'requirements' | 'tests', id: string) =>
    [
      ['GET', `/v1/${kind}/${id}?branch_id=${branch}`],
      ['PUT', `/v1/${kind}/${id}`, { title: 'Ours', branch_id: branch }],
      ['DELETE', `/v1/${kind}/${id}?branch_id=${branch}`],
    ] as const
  const links = (testId: string, id: string) =>
    [
      ['POST', `/v1/tests/${testId}/links`, { requirement_id: id, branch_id: branch }],
      ['DELETE', `/v1/tests/${testId}/links/${id}?branch_id=${branch}`],
    ] as const
  const all = (testId: string, id: string) => [
    ...requests('requirements', id),
    ...requests('tests', testId),
    ...links(testId, id),
    ...links(sums.id, id),
  ]
  const answers = (testId: string, id: string) =>
    Promise.all(
      all(testId, id).map(async ([method, path, body]) => {
        const reply = await app.request<{ message: string }>(method, path, body)
        return `${String(reply.status)} ${reply.body.message.replaceAll(testId, 'ID').replaceAll(id, 'ID')}`
      }),
    )
  const foreign = await answers(test_, requirement)
  expect(foreign).toEqual(await answers('no-test', 'no-requirement'))
  expect(foreign.map((answer) => answer.slice(0, 3))).toEqual(foreign.map(() => '404'))
})

test('the revision of the tree counts changes of requirements, tests and links, but no results', async () => {
  await using app = await startTree()
  const { tree } = app
  const branch = await tree.branch()
  const revision = async () => (await tree.getBranch(branch)).branch.main_revision
  expect(await revision()).toBe(0)
  const cart = await tree.requirement({ title: 'Cart' })
  const sums = await tree.test({ title: 'sums up' })
  await app.request('POST', `/v1/tests/${sums.id}/links`, { requirement_id: cart.id })
  await tree.change(cart.id, { title: 'Basket' })
  expect(await revision()).toBe(4)
  await tree.requirement({ title: 'Guest', branch_id: branch })
  await app.request('POST', `${tree.product}/requirements`, { title: 'Dry', validate_only: true })
  expect(await revision()).toBe(4)
  const report = (run: string) => ({
    draft: {
      run: { run_key: run },
      cases: [{ name: 'adds', suite_path: [], file_path: 'test/cart.test.ts', status: 'passed' }],
    },
  })
  done(await app.request('POST', `${tree.product}/tests:ingest`, report('1')))
  expect(await revision()).toBe(5)
  done(await app.request('POST', `${tree.product}/tests:ingest`, report('2')))
  expect(await revision()).toBe(5)
  await tree.remove(cart.id)
  expect(await revision()).toBe(6)
})
