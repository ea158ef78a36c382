import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { openShop, shown, type Shop } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const other = 'fedcba9876543210fedcba9876543210fedcba98'
const options = { toolsets: ['default', 'releases'] }

let shop: Shop
let agent: Connected
beforeEach(async () => {
  shop = await openShop()
  agent = await connect(shop.api, { options })
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

const record = (args: object) =>
  agent.call('record_release', { version: 'shop@1.5.0', environment: 'production', ...args })
const data = (structured: unknown) => (structured as { data: Record<string, unknown> }).data

async function releases() {
  const { releases: rows } = await shop.api.listReleases({ product_id: shop.productId })
  return rows.length
}

test('record_release records a release with its commit and names what reads it', async () => {
  const called = await record({ commit })
  expect(shown(called)).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "Recorded shop@1.5.0 in production.",
        "data": {
          "outcome": "created",
          "release": {
            "commit": "0123456789ab",
            "environment": "production",
            "id": "00000000-0000-7000-8000-000000000018",
            "sequence": 2,
            "version": "shop@1.5.0",
          },
          "undo": "no call removes a release",
        },
        "next_actions": [
          {
            "args": {
              "product": "1",
              "release": "00000000-0000-7000-8000-000000000018",
            },
            "tool": "get_release",
            "why": "the release with its new issues",
          },
        ],
        "product": {
          "id": "1",
          "name": "My product",
        },
      },
      "text": "Recorded shop@1.5.0 in production.
    product: My product (id 1)
    outcome: created
    release: id=00000000-0000-7000-8000-000000000018, version=shop@1.5.0, environment=production, commit=0123456789ab, sequence=2
    undo: no call removes a release
    Next:
    - get_release {"product":"1","release":"00000000-0000-7000-8000-000000000018"} (the release with its new issues)",
    }
  `)
  const read = await agent.call('get_release', { release: 'shop@1.5.0' })
  expect(read.text).toContain(`commit=${commit.slice(0, 12)}`)
  const again = await record({ commit })
  expect(again.text).toMatch(/^shop@1\.5\.0 in production is recorded like this already; nothing was changed\./)
  expect(await releases()).toBe(2)
})

test('another commit is an update, and the undo call sets the old one again', async () => {
  await record({ commit })
  const changed = await record({ commit: other })
  expect(data(changed.structured)).toMatchObject({ outcome: 'updated', commit_before: commit.slice(0, 12) })
  const { next_actions: next } = changed.structured as {
    next_actions: { tool: string; args: Record<string, unknown> }[]
  }
  expect(next[0]?.args['commit']).toBe(commit)
  await agent.call(next[0]?.tool ?? '', next[0]?.args)
  expect((await record({ commit })).text).toContain('recorded like this already')
})

test('a preview writes nothing, and says when the environment would be new', async () => {
  const known = await record({ dry_run: true })
  expect(known.text).toMatch(/^Preview, nothing written: would record shop@1\.5\.0 in production\.\n/)
  const typo = await record({ environment: 'prodution', dry_run: true })
  expect(typo.text).toContain('in prodution. The environment would be new.')
  const update = await record({ version: 'shop@1.4.0', commit, dry_run: true })
  expect(update.text).toContain('would update shop@1.4.0 in production.')
  expect(await releases()).toBe(1)
})

test('a release that only events named is taken over by the member who records it', async () => {
  await shop.crash(5, { release: 'shop@1.5.0' })
  expect(data((await record({})).structured)).toMatchObject({ outcome: 'updated', undo: 'no call takes this back' })
  expect((await record({})).text).toContain('recorded like this already')
})

test.each(['502', 'htmlWrites'])('a reply that is lost (%s) is read again', async (loss) => {
  await using elsewhere = await connectElsewhere(shop, (send) => losing(send, loss))
  const { text } = await elsewhere.call('record_release', { version: '2.0.0', environment: 'production', commit })
  expect(text).toMatch(
    /^Recorded 2\.0\.0 in production\. The deployment's reply cannot be read; read again, it is done\./,
  )
})

test('a deployment without releases says what names them instead', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) =>
    reshaped(send, 'noRoute:upsertRelease', 'noRoute:listReleases'),
  )
  const args = { version: '2.0.0', environment: 'production' }
  const preview = await elsewhere.call('record_release', { ...args, dry_run: true })
  expect(preview.text).toContain('this deployment does not say whether it is there.')
  const { text } = await elsewhere.call('record_release', args)
  expect(text).toContain('does not offer the recording of releases (feature_disabled')
  expect(text).toContain('next: events and source maps still name their release themselves.')
})

test('a commit that is too short is refused with the form that one has', async () => {
  const { text } = await agent.call('record_release', { version: '9', environment: 'production', commit: 'abc' })
  expect(text).toContain('expected: commit: a commit hash of 7 to 64 hex digits')
})
