import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as z from 'zod'
import { replyText, type Send } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import type { Platform } from '../shared/context.ts'
import { isUntouched, type FirstProduct } from '../workspace/first-product.ts'
import { insertDsnKey, type KeyKind } from '../workspace/dsn-keys.ts'
import type * as sampleModule from '../sample/load.ts'
import type { SampleBundle } from '../sample/source-maps.ts'
import type { Database } from '../sql/database.ts'
import { timestamp } from '../shared/times.ts'

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
 * The sample product, if the database is empty, the product in it is untouched, or an earlier start was interrupted
 * while loading the sample; otherwise undefined, with a line about it when the directory has other data. A file marks
 * an unfinished loading.
 */
export async function sampleLoading({
  db,
  dataDir,
  onProgress,
}: Pick<SampleTarget, 'db' | 'onProgress'> & { dataDir: string }) {
  const marker = join(dataDir, 'sample-unfinished')
  const first = await db.read.selectFrom('product').select('slug').orderBy('id').executeTakeFirst()
  const interrupted = existsSync(marker)
  const sample = await import('../sample/load.ts')
  if (first !== undefined && !interrupted && !(await isUntouched(db.read))) {
    if (first.slug !== sample.sampleProduct.slug) onProgress?.(notEmpty(dataDir))
    return undefined
  }
  await writeFile(marker, '', { mode: 0o600 })
  return {
    product: sample.sampleProduct satisfies FirstProduct,
    /**
     * Through the service's own API: a second loading finds what the first has created and adds the rest. Nothing is
     * loaded into another product, nor twice at once: another start may have been faster.
     */
    async load(target: SampleTarget) {
      if (!(await isSample(sample, target))) {
        target.onProgress?.(notEmpty(dataDir))
        return rm(marker, { force: true })
      }
      if (!target.created && !interrupted) {
        // Of this process alone, where each has a directory of its own; else that of the process which loads.
        if (db.read.dialect.holdsFiles) await rm(marker, { force: true })
        return
      }
      target.onProgress?.('loading the sample shop …')
      await describe(sample, target)
      // Before the events, so that they are grouped by their sources from the start.
      const bundles = await sample.sampleBundles()
      // In their order: of two files that are alike, the newest upload counts.
      for (const bundle of bundles) await uploadMaps(bundle, target)
      const { requirements, tests } = await sample.loadQuality({
        ...target,
        now: target.platform.now(),
        call: (method, path, body) => call(target, method, path, body),
      })
      const events = await sendEvents(sample, target)
      await configureAgents(target)
      await rm(marker, { force: true })
      const maps = bundles.reduce((sum, bundle) => sum + bundle.maps, 0)
      const loaded = [`${events} events`, `${maps} source maps`, `${requirements} requirements`, `${tests} tests`]
      target.onProgress?.(`the sample shop is loaded: ${loaded.join(', ')}`)
      target.onProgress?.(forgotten(sample.forgottenMaps, dataDir))
    },
  }
}

function notEmpty(dataDir: string): string {
  return `${dataDir} has data already, so the sample was not loaded; for another directory: --data DIR`
}

/** What a new user can fix next, with the command for a checkout or for the package. */
function forgotten({ release, folder }: Sample['forgottenMaps'], dataDir: string): string {
  const isCheckout = /[\\/]src[\\/]service[\\/]sample[\\/]/.test(folder)
  const command = isCheckout ? 'npm run -s tracegate --' : 'tracegate'
  const place = isCheckout ? relative(process.cwd(), folder) : folder
  return [
    `the sample lacks the browser source maps of ${release}, so frames of its pages stay minified; to upload them:`,
    `  ${command} sourcemaps upload ${word(place)} --release ${release} --data ${word(dataDir)}`,
  ].join('\n')
}

/** A path as one word of a shell command. */
function word(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
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

const Types = z.object({ agent_types: z.array(z.object({ id: z.string(), title: z.string() })) })

/** One config of each agent type, so that every agent can be started at once. */
async function configureAgents(target: SampleTarget) {
  const { agent_types: types } = Types.parse(await call(target, 'GET', '/v1/agent-types'))
  for (const { id, title } of types) {
    await post(target, `/v1/products/${target.productId}/agent-configs`, { agent_type_id: id, name: title })
  }
}

const Created = z.object({
  sourcemap: z.object({ id: z.string() }),
  upload_url: z.string(),
  upload_headers: z.record(z.string(), z.string()),
})

/** As a pipeline does it: create, send, confirm. */
async function uploadMaps({ release, fileName, bytes, sha256 }: SampleBundle, target: SampleTarget) {
  const facts = { sha256, size_bytes: bytes.byteLength }
  const uploads = `/v1/products/${target.productId}/sourcemaps`
  const created = Created.parse(await post(target, uploads, { file_name: fileName, release, ...facts }))
  // An interrupted loading has brought the same bytes already.
  if (created.upload_url === '') return
  const headers = { ...created.upload_headers, 'content-length': String(bytes.byteLength) }
  const reply = await target.send({ method: 'PUT', url: created.upload_url, headers, body: bytes })
  if (reply.status !== 200) throw refused('PUT of source maps', reply.status, await replyText(reply))
  await post(target, `/v1/sourcemaps/${created.sourcemap.id}:confirm`, facts)
}

/**
 * Uses keys without a rate limit, which are removed afterwards: a server key for what the shop's server sends, a public one
 * for its pages. Resolves to the number of events.
 */
async function sendEvents(sample: Sample, target: SampleTarget): Promise<number> {
  const { db, platform, productId, send, onProgress } = target
  const makeKey = (kind: KeyKind) =>
    db.write((rows) => insertDsnKey(rows, platform, productId, { kind, ratePerSecond: 0 }))
  const keys = { public: await makeKey('public'), server: await makeKey('server') }
  try {
    const { events } = await sample.loadSample({
      productId: String(productId),
      keys,
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
        // An interrupted loading has resolved it, and the regression may have followed.
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
    await db.write((rows) =>
      rows.updateTable('dsn_key').set(revoked).where('public_key', 'in', Object.values(keys)).execute(),
    )
  }
}

function post(target: SampleTarget, path: string, body: object): Promise<unknown> {
  return call(target, 'POST', path, body)
}

/** Resources that exist already come from an interrupted loading. Resolves to the body of the answer. */
async function call({ send, token }: SampleTarget, method: string, path: string, body?: object): Promise<unknown> {
  const reply = await send({
    method,
    url: `http://localhost${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
  })
  const text = await replyText(reply)
  if (reply.status !== 200 && reply.status !== 409) throw refused(`${method} ${path}`, reply.status, text)
  return JSON.parse(text)
}

/** The service says what is wrong in its `message` (contract §0.4). */
function refused(what: string, status: number, answer: string): ServiceError {
  const { message = 'no reason' } = JSON.parse(answer) as { message?: string }
  return new ServiceError(
    'unavailable',
    `the sample could not be loaded: ${what} was answered ${String(status)}: ${message}; start again to go on`,
  )
}
