import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import type { App } from '../../app.ts'
import { done, startTree } from '../branches/branch-tree.ts'

/** The audit rows of what `write` does: verb, kind of resource, and which of the states before and after have a hash. */
async function traces(app: App, write: () => Promise<unknown>): Promise<string[]> {
  const read = () => app.db.read.selectFrom('audit').selectAll().orderBy('id').execute()
  const known = new Set((await read()).map(({ id }) => id))
  await write()
  return (await read())
    .filter(({ id }) => !known.has(id))
    .map(({ verb, resource_type: type, before_hash: before, after_hash: after }) =>
      [verb, type, before !== '' && 'before', after !== '' && 'after'].filter((word) => word !== false).join(' '),
    )
    .toSorted()
}

/** A product with two requirements, a test of the first one, and an open branch. */
async function startLinks() {
  const app = await startTree()
  const { tree } = app
  const cart = await tree.requirement({ title: 'Cart', acceptance_criteria: [{ text: 'Sums' }] })
  const mail = await tree.requirement({ title: 'Mail' })
  const sums = await tree.test({ title: 'sums up', requirement_ids: [mail.id] })
  const branch = await tree.branch()
  const links = `/v1/tests/${sums.id}/links`
  return Object.assign(app, {
    cart,
    mail,
    sums,
    branch,
    link: async (body: object) => done(await app.request<ResponseOf<'linkTest'>>('POST', links, body)),
    unlink: async (id: string, query = '') => done(await app.request('DELETE', `${links}/${id}${query}`)),
  })
}

test('proposing, changing or withdrawing a link on a branch adds an audit row, and repeating it adds none', async () => {
  await using app = await startLinks()
  const { cart, mail, branch } = app
  const onBranch = `?branch_id=${branch}`
  const propose = (more: object = {}) => app.link({ requirement_id: cart.id, branch_id: branch, ...more })
  expect(await traces(app, propose)).toEqual(['create link_proposal after'])
  expect(await traces(app, propose)).toEqual([])
  expect(await traces(app, () => propose({ rationale: 'Same words.' }))).toEqual(['update link_proposal before after'])
  expect(await traces(app, () => app.unlink(cart.id, onBranch))).toEqual(['delete link_proposal before'])
  expect(await traces(app, () => app.unlink(mail.id, onBranch))).toEqual(['create link_proposal after'])
  const again = () => app.link({ requirement_id: mail.id, branch_id: branch })
  expect(await traces(app, again)).toEqual(['delete link_proposal before'])
})

test('a proposal for what a branch no longer creates leaves a row when it goes', async () => {
  await using app = await startLinks()
  const { branch, tree } = app
  const guest = await tree.requirement({ title: 'Guest', branch_id: branch })
  await app.link({ requirement_id: guest.id, branch_id: branch })
  const rows = await traces(app, () => tree.remove(guest.id, branch))
  expect(rows).toEqual(['delete link_proposal before', 'update branch before after'])
})

test('a link that is changed or removed has the state before it', async () => {
  await using app = await startLinks()
  const { cart } = app
  const link = (more: object = {}) => app.link({ requirement_id: cart.id, ...more })
  expect(await traces(app, link)).toEqual(['create test_link after'])
  const changed = await traces(app, () => link({ criterion_ids: [cart.acceptance_criteria[0]!.id] }))
  expect(changed).toEqual(['update test_link before after'])
  expect(await traces(app, () => app.unlink(cart.id))).toEqual(['delete test_link before'])
})

test('what is made or removed together with what a request names has rows of its own', async () => {
  await using app = await startLinks()
  const { tree, mail } = app
  const made = await traces(app, () => tree.test({ title: 'sends', requirement_ids: [mail.id] }))
  expect(made).toEqual(['create test after', 'create test_link after'])
  await tree.requirement({ title: 'Reply', parent_id: mail.id })
  const removed = await traces(app, () => tree.remove(mail.id))
  expect(removed).toEqual(['delete requirement before', 'delete requirement before'])
})

test('a merge leaves a row for each requirement and link that it writes', async () => {
  await using app = await startLinks()
  const { tree, cart, mail, branch } = app
  await tree.change(cart.id, { title: 'The cart', branch_id: branch })
  await app.link({ requirement_id: cart.id, branch_id: branch })
  await app.unlink(mail.id, `?branch_id=${branch}`)
  const merge = () => app.request('POST', `/v1/branches/${branch}/merge`, { link_proposal_policy: 'all' })
  expect(await traces(app, merge)).toEqual([
    'create test_link after',
    'delete test_link before',
    'merge branch before after',
    'update requirement before after',
  ])
})

test('a verdict leaves a row where it is stored, and one that is known already does not', async () => {
  await using app = await startTree()
  const compute = async () => done(await app.request('POST', `${app.tree.product}/quality-gate:compute`, {}))
  expect(await traces(app, compute)).toEqual(['create verdict after'])
  expect(await traces(app, compute)).toEqual([])
})

test('the paths of a working tree leave a row where they are replaced by others', async () => {
  await using app = await startTree()
  const prepare = async (...paths: string[]) => {
    const repository = { files: paths.map((path) => ({ path })) }
    const path = `${app.tree.product}/test-generation-context:prepare`
    return done(await app.request('POST', path, { top_gaps: 1, repository }))
  }
  const replaced = ['update repository_paths before after']
  expect(await traces(app, () => prepare('src/cart.ts', 'README.md'))).toEqual(replaced)
  expect(await traces(app, () => prepare('README.md', './src/cart.ts'))).toEqual([])
  expect(await traces(app, () => prepare('README.md'))).toEqual(replaced)
})
