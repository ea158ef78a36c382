import type { Handlers } from '../shared/context.ts'
import { readPage } from '../shared/paging.ts'
import type { Rows } from '../sql/database.ts'
import { readReleaseVerdict } from '../gate/verdict/store.ts'
import { requireProduct, requireRelease } from '../workspace/access.ts'
import { releaseRef, viewReleases } from '../workspace/releases/release-view.ts'
import { listReleaseRows, recordRelease, type StoredRelease } from '../workspace/releases/releases.ts'

export const releaseHandlers = {
  async upsertRelease({ product_id: productId, environment, version, ...input }, call) {
    const { commit_sha, git_branch, url, notes } = input
    const released_at = input.released_at === undefined ? undefined : Date.parse(input.released_at)
    const details = { commit_sha, git_branch, url, notes, released_at }
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, productId)
      const facts = { productId: product.id, environment, version, details }
      const { release, created } = await recordRelease(rows, call, facts)
      return { release: await viewOne(rows, release), created }
    })
  },

  async listReleases(input, call) {
    const { db, principal } = call
    const product = await requireProduct(db.read, principal, input.product_id)
    const query = { productId: product.id, filter: input, page: readPage(call, input) }
    const { rows, paging } = await listReleaseRows(db.read, query)
    return { releases: await viewReleases(db.read, rows), ...paging }
  },

  async getRelease({ id }, { db, principal }) {
    const { release: row } = await requireRelease(db.read, principal, id)
    // A server answers them at the same time.
    const [{ release, previous }, verdict] = await Promise.all([
      viewOne(db.read, row).then(async (release) => ({
        release,
        previous: await releaseRef(db.read, release.predecessor_id),
      })),
      readReleaseVerdict(db.read, row),
    ])
    return { release, previous, verdict }
  },
} satisfies Handlers<'upsertRelease' | 'listReleases' | 'getRelease'>

async function viewOne(rows: Rows, row: StoredRelease) {
  const [release] = await viewReleases(rows, [row])
  return release!
}
