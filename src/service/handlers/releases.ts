import { sql } from 'kysely'
import { audit } from '../workspace/audit.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct, requireRelease } from '../workspace/access.ts'
import { ensureEnvironment } from '../workspace/environments.ts'
import { ensureRelease, type StoredRelease } from '../workspace/releases.ts'
import { viewReleases } from '../workspace/release-view.ts'
import { isKnownRelease, nameKey } from '../workspace/rules.ts'
import { cutPage, readPage } from '../shared/paging.ts'
import type { Rows } from '../sql/database.ts'

export const releaseHandlers = {
  async upsertRelease({ product_id: productId, environment: name, ...input }, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, productId)
      const environment = await ensureEnvironment(rows, call, { productId: product.id, name, origin: 'ORIGIN_RELEASE' })
      const place = environment.environment
      if (place !== environment.before) {
        const verb = environment.before === undefined ? 'create' : 'update'
        const change = { before: environment.before, after: place }
        await audit(rows, call, { verb, resourceType: 'environment', resourceId: place.id, ...change })
      }
      const { release: row, before } = await ensureRelease(rows, call, {
        productId: product.id,
        environmentId: place.id,
        version: input.version,
        origin: 'ORIGIN_MANUAL',
        details: {
          commit_sha: input.commit_sha,
          git_branch: input.git_branch,
          url: input.url,
          notes: input.notes,
          released_at: input.released_at === undefined ? undefined : Date.parse(input.released_at),
        },
      })
      const created = before === undefined
      if (row !== before) {
        const verb = created ? 'create' : 'update'
        await audit(rows, call, { verb, resourceType: 'release', resourceId: row.id, before, after: row })
      }
      return { release: await viewOne(rows, row), created }
    })
  },

  async listReleases(input, { db, principal }) {
    const product = await requireProduct(db.read, principal, input.product_id)
    const page = readPage(input)
    const { after } = page
    const { environment, environment_id: environmentId, version } = input
    const all = db.read
      .selectFrom('release')
      .innerJoin('environment', 'environment.id', 'release.environment_id')
      .where('release.product_id', '=', product.id)
      .where('environment.deleted_at', 'is', null)
      .$if(environment !== undefined, (query) => query.where('environment.name_key', '=', nameKey(environment ?? '')))
      .$if(environmentId !== undefined, (query) => query.where('environment.id', '=', environmentId ?? ''))
      .$if(version !== undefined, (query) => query.where('release.version', '=', version ?? ''))
    const { total } = await all.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
    const found = await all
      .selectAll('release')
      .select(releasedAt.as('sort_value'))
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(${releasedAt}, release.id) < (${after?.sortValue}, ${after?.id})`),
      )
      .orderBy(releasedAt, 'desc')
      .orderBy('release.id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, paging } = cutPage(page, found, total, ({ sort_value, id }) => ({ sortValue: sort_value, id }))
    return { releases: await viewReleases(db.read, rows), ...paging }
  },

  async getRelease({ id }, { db, principal }) {
    const { release: row } = await requireRelease(db.read, principal, id)
    const release = await viewOne(db.read, row)
    const previous = await referTo(db.read, release.predecessor_id)
    // Verdicts have no table.
    return { release, previous, verdict: null }
  },
} satisfies Handlers<'upsertRelease' | 'listReleases' | 'getRelease'>

/** A release without a time of its own stands where it was made. */
const releasedAt = sql<number>`coalesce(release.released_at, release.created_at)`

async function viewOne(rows: Rows, row: StoredRelease) {
  const [release] = await viewReleases(rows, [row])
  if (release === undefined) throw new Error('a release has no view')
  return release
}

async function referTo(rows: Rows, id: string) {
  const row = await rows.selectFrom('release').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : { id, key: '', title: row.version, known: isKnownRelease(row) }
}
