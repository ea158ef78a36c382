import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Send } from '../contract/wire.ts'
import { replyText } from '../contract/wire.ts'
import type { Platform } from './context.ts'
import { insertDsnKey } from './directory/products.ts'
import type { ProductFacts } from './directory/products.ts'
import type * as sampleModule from './sample/load.ts'
import type { Database } from './sql/database.ts'
import { timestamp } from './times.ts'

export interface SampleTarget {
  /** The service itself, without a rate limit. */
  send: Send
  db: Database
  platform: Platform
  token: string
  productId: number
  onProgress?: ((line: string) => void) | undefined
}

/**
 * The sample product, when it is wanted and the database is empty or an earlier start was interrupted while loading it;
 * else undefined. A file marks the loading as unfinished.
 */
export async function sampleLoading({ db, dataDir, wanted }: { db: Database; dataDir: string; wanted: boolean }) {
  if (!wanted) return undefined
  const marker = join(dataDir, 'sample-unfinished')
  const workspace = await db.read.selectFrom('workspace').select('id').executeTakeFirst()
  if (workspace !== undefined && !existsSync(marker)) return undefined
  await writeFile(marker, '', { mode: 0o600 })
  const sample = await import('./sample/load.ts')
  return {
    product: sample.sampleProduct satisfies ProductFacts,
    /** Through the service's own doors: a second loading finds what the first has made and adds the rest. */
    async load(target: SampleTarget) {
      target.onProgress?.('loading the sample shop …')
      await describe(sample, target)
      const events = await sendEvents(sample, target)
      await rm(marker, { force: true })
      target.onProgress?.(`the sample shop is loaded: ${events} events`)
    },
  }
}

type Sample = typeof sampleModule

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
