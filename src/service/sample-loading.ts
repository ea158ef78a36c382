import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Send } from '../contract/wire.ts'
import { replyText } from '../contract/wire.ts'
import type { Platform } from './context.ts'
import { isUntouched } from './directory/first-product.ts'
import type { FirstProduct } from './directory/first-product.ts'
import { insertDsnKey } from './directory/products.ts'
import type * as sampleModule from './sample/load.ts'
import type { Database } from './sql/database.ts'
import { timestamp } from './times.ts'

export interface SampleTarget {
  /** The service itself, without a rate limit. */
  send: Send
  db: Database
  platform: Platform
  token: string
  /** The first product. */
  productId: number
  /** True when this start made it. */
  created: boolean
  onProgress?: ((line: string) => void) | undefined
}

/**
 * The sample product, when the database is empty, nobody has used what is there yet, or an earlier start was interrupted
 * while loading the sample; else undefined, and told when the data is somebody's own. A file marks the loading as
 * unfinished.
 */
export async function sampleLoading({
  db,
  dataDir,
  onProgress,
}: Pick<SampleTarget, 'db' | 'onProgress'> & { dataDir: string }) {
  const marker = join(dataDir, 'sample-unfinished')
  const first = await db.read.selectFrom('product').select('slug').orderBy('id').executeTakeFirst()
  const interrupted = existsSync(marker)
  const sample = await import('./sample/load.ts')
  if (first !== undefined && !interrupted && !(await isUntouched(db.read))) {
    if (first.slug !== sample.sampleProduct.slug) onProgress?.(notEmpty(dataDir))
    return undefined
  }
  await writeFile(marker, '', { mode: 0o600 })
  return {
    product: sample.sampleProduct satisfies FirstProduct,
    /**
     * Through the service's own doors: a second loading finds what the first has made and adds the rest. Nothing goes
     * into a product that is not the sample's, nor twice at once: another start may have been faster.
     */
    async load(target: SampleTarget) {
      if (!(await isSample(sample, target))) {
        target.onProgress?.(notEmpty(dataDir))
        return rm(marker, { force: true })
      }
      if (!target.created && !interrupted) return
      target.onProgress?.('loading the sample shop …')
      await describe(sample, target)
      const events = await sendEvents(sample, target)
      await rm(marker, { force: true })
      target.onProgress?.(`the sample shop is loaded: ${events} events`)
    },
  }
}

function notEmpty(dataDir: string): string {
  return `${dataDir} has data already, so the sample was not loaded; for another directory: --data DIR`
}

type Sample = typeof sampleModule

async function isSample({ sampleProduct }: Sample, { db, productId }: SampleTarget): Promise<boolean> {
  const product = await db.read
    .selectFrom('product')
    .select(['name', 'key_prefix'])
    .where('id', '=', productId)
    .executeTakeFirstOrThrow()
  return product.name === sampleProduct.name && product.key_prefix === sampleProduct.key_prefix
}

async function describe(sample: Sample, target: SampleTarget) {
  const product = `/v1/products/${target.productId}`
  for (const environment of sample.sampleEnvironments) await post(target, `${product}/environments`, environment)
  for (const component of sample.sampleComponents) await post(target, `${product}/components`, component)
  const now = target.platform.now()
  for (const { released_offset_ms: offset, ...release } of sample.sampleReleases) {
    await post(target, `${product}/releases`, { ...release, released_at: timestamp(now + offset) })
  }
}

/** With a key of its own, without a rate limit and only for as long as it takes; resolves to the number of events. */
async function sendEvents(sample: Sample, target: SampleTarget): Promise<number> {
  const { db, platform, productId, send, onProgress } = target
  const publicKey = await db.write((rows) => insertDsnKey(rows, platform, productId, 0))
  try {
    const { events } = await sample.loadSample({
      productId: String(productId),
      publicKey,
      now: platform.now(),
      async send({ url, ...request }) {
        const reply = await send({ ...request, url: `http://localhost${url}` })
        return { status: reply.status, body: await replyText(reply) }
      },
      async resolveIssueOf(sdkEventId) {
        const occurrence = await db.read
          .selectFrom('occurrence')
          .leftJoin('issue_history', 'issue_history.issue_id', 'occurrence.issue_id')
          .select(['occurrence.issue_id', 'issue_history.id as change'])
          .where('occurrence.product_id', '=', productId)
          .where('occurrence.sdk_event_id', '=', sdkEventId)
          .executeTakeFirstOrThrow()
        // An interrupted loading did so, and the regression may have come after it.
        if (occurrence.change !== null) return
        await post(target, `/v1/issues/${occurrence.issue_id}:setStatus`, { status: 'resolved' })
      },
      onProgress(done, total) {
        if (done % 250 === 0 && done < total) onProgress?.(`loading the sample shop … ${done} of ${total}`)
      },
    })
    return events
  } finally {
    const revoked = { revoked_at: platform.now() }
    await db.write((rows) => rows.updateTable('dsn_key').set(revoked).where('public_key', '=', publicKey).execute())
  }
}

/** What is there already is what an interrupted loading made. */
async function post({ send, token }: SampleTarget, path: string, body: object) {
  const reply = await send({
    method: 'POST',
    url: `http://localhost${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  })
  if (reply.status === 200 || reply.status === 409) return
  throw new Error(`the sample could not be loaded: POST ${path} was answered ${reply.status} ${await replyText(reply)}`)
}
