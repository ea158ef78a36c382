import type * as z from 'zod'
import { notFound } from '../../../../errors.ts'
import type { Platform } from '../../../shared/context.ts'
import {
  adopts,
  defaultEnvironmentName,
  defaultWeight,
  guessKind,
  isKnownEnvironment,
  isRecordedRelease,
  nameKey,
  type RecordOrigin,
} from '../../../workspace/releases/rules.ts'
import { StoredSettings } from '../../../workspace/settings.ts'
import type { Prepare } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'
import { dayMs } from '../../../shared/times.ts'
import type { KnownReleases } from './known-releases.ts'
import { createKnownPlaces, type KnownPlace, type PlaceKey } from './together/known-places.ts'

/**
 * Environments of a product that only events named (decision 011). Usual names do not count toward the limit and always
 * get a row, so that nobody can crowd out `production`; a member makes space by deleting some.
 */
const MOST_ENVIRONMENTS = 100
/**
 * Releases that events create in one environment in 30 days (decision 011); releases recorded by a member or a token do
 * not count.
 */
const MOST_RELEASES = 1_000
const RELEASE_WINDOW_MS = 30 * dayMs

/** What finding and creating environments and releases needs, inside a transaction. */
export interface PlaceTools {
  prepare: Prepare
  platform: Platform
  releases: KnownReleases
  vouchedReleases: KnownReleases
}

/**
 * Where an occurrence happened. An id is empty when no row has the name and none was created: the product does not let
 * events create environments, or events have reached the limit.
 */
export interface EventPlace {
  /** Of the row of `place`. */
  id: number
  environmentId: string
  environmentName: string
  releaseId: string
}

export interface EventNames {
  environment: string
  release: string
  /** Came with a server key: the limits of what strangers may create do not hold. */
  vouched: boolean
}

const byEvent = 'ORIGIN_EVENT' satisfies RecordOrigin
const byServerKey = 'ORIGIN_SERVER_KEY' satisfies RecordOrigin
const byMember = 'ORIGIN_MANUAL' satisfies RecordOrigin

interface AskingProduct {
  id: number
  createsEnvironments: boolean
}

/** Finds places, each once: there is no other writer until the transaction ends or an item of it is rolled back. */
export interface PlaceFinder {
  /** Asks for the places of several events together. */
  ask(events: readonly (EventNames & { productId: number })[]): Promise<void>
  find(product: AskingProduct, event: EventNames): Promise<EventPlace>
}

export function createPlaceFinder(tools: PlaceTools): PlaceFinder {
  const rows = createKnownPlaces(tools.prepare)
  const found = new Map<string, EventPlace>()
  return {
    ask: (events) => rows.ask(events.map((event) => placeKey(event.productId, event))),
    async find(product, event) {
      const key = JSON.stringify([product.id, event.environment, event.release, event.vouched])
      const before = found.get(key)
      if (before !== undefined) return before
      const known = await rows.get(placeKey(product.id, event))
      const place = (known && asItIs(known, event)) ?? (await findPlace(tools, product, event))
      // What had no room may be created by an event with a server key.
      const isWhole = place.environmentId !== '' && (place.releaseId !== '' || event.release === '')
      if (isWhole) found.set(key, place)
      return place
    },
  }
}

function placeKey(productId: number, { environment, release }: Pick<EventNames, 'environment' | 'release'>): PlaceKey {
  return [productId, nameKey(environmentName(environment)), release]
}

function environmentName(given: string): string {
  return given === '' ? defaultEnvironmentName : given
}

/** The place, unless the event changes one of its rows. */
function asItIs(known: KnownPlace, { environment, vouched }: EventNames): EventPlace | undefined {
  const { id, environment_id: environmentId, release_id: releaseId } = known
  if (vouched && adopts({ origin: known.environment_origin }, byServerKey)) return undefined
  const release =
    known.release_origin === null ? undefined : { origin: known.release_origin, vouched_at: known.vouched_at }
  if (vouched && release !== undefined && isNews(release)) return undefined
  return { id, environmentId, environmentName: environmentName(environment), releaseId }
}

/** Whether an event with a server key says something new of a release that it names. */
function isNews(release: { origin: string; vouched_at: number | null }): boolean {
  return release.vouched_at === null || adopts(release, byServerKey)
}

/**
 * The environment and release an event names, created with origin EVENT if they do not exist (contract §6) and the
 * limit allows it. A deleted environment is created again. Runs inside the caller's transaction.
 */
async function findPlace(tools: PlaceTools, product: AskingProduct, event: EventNames): Promise<EventPlace> {
  const name = environmentName(event.environment)
  const environmentId = await findEnvironment(tools, product, name, event.vouched)
  const releaseId =
    environmentId === '' || event.release === '' ? '' : await findRelease(tools, product.id, environmentId, event)
  const id = await placeNumber(tools.prepare, environmentId, releaseId)
  return { id, environmentId, environmentName: name, releaseId }
}

async function placeNumber(prepare: Prepare, environmentId: string, releaseId: string): Promise<number> {
  const select = prepare('SELECT id FROM place WHERE environment_id = ? AND release_id = ?')
  const known = await select.get<{ id: number }>(environmentId, releaseId)
  if (known !== undefined) return known.id
  return prepare('INSERT INTO place (environment_id, release_id) VALUES (?, ?)').insert(environmentId, releaseId)
}

async function findEnvironment(
  { prepare, platform }: PlaceTools,
  product: AskingProduct,
  name: string,
  vouched: boolean,
): Promise<string> {
  const key = nameKey(name)
  const select = prepare(
    'SELECT id, origin FROM environment WHERE product_id = ? AND name_key = ? AND deleted_at IS NULL',
  )
  const known = await select.get<{ id: string; origin: string }>(product.id, key)
  if (known !== undefined) {
    if (vouched && adopts(known, byServerKey)) {
      const adopt = 'UPDATE environment SET name = ?, origin = ?, version = version + 1, updated_at = ? WHERE id = ?'
      await prepare(adopt).run(name, byServerKey, platform.now(), known.id)
    }
    return known.id
  }
  if (!product.createsEnvironments) return ''
  if (!vouched && !(await hasRoomForEnvironment(prepare, product.id, name))) return ''
  const id = platform.newId()
  const [kind, now] = [guessKind(name), platform.now()]
  await prepare(
    `INSERT INTO environment (id, product_id, name, name_key, kind, exposure_weight, origin, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, product.id, name, key, kind, defaultWeight(kind), vouched ? byServerKey : byEvent, now, now)
  return id
}

async function hasRoomForEnvironment(
  prepare: PlaceTools['prepare'],
  productId: number,
  name: string,
): Promise<boolean> {
  if (isKnownEnvironment({ name, origin: byEvent })) return true
  const made = await prepare(
    'SELECT name, origin FROM environment WHERE product_id = ? AND origin = ? AND deleted_at IS NULL',
  ).all<{ name: string; origin: string }>(productId, byEvent)
  const others = made.filter((environment) => !isKnownEnvironment(environment))
  return others.length < MOST_ENVIRONMENTS
}

async function findRelease(
  tools: PlaceTools,
  productId: number,
  environmentId: string,
  { release: version, vouched }: EventNames,
): Promise<string> {
  const { prepare, platform, releases, vouchedReleases } = tools
  const known = await prepare(
    'SELECT id, vouched_at, origin FROM release WHERE product_id = ? AND version = ? AND environment_id = ?',
  ).get<{ id: string; vouched_at: number | null; origin: string }>(productId, version, environmentId)
  if (known !== undefined) {
    if (vouched && isNews(known)) await vouchForName(tools, known, environmentId)
    return known.id
  }
  const id = platform.newId()
  const now = platform.now()
  if (!vouched && !(await hasRoomForRelease(prepare, environmentId, now))) return ''
  const origin = (await hasSourceMap(prepare, productId, version)) ? byMember : vouched ? byServerKey : byEvent
  await prepare(
    `INSERT INTO release (id, product_id, environment_id, version, origin, created_at, updated_at, vouched_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, productId, environmentId, version, origin, now, now, vouched ? now : null)
  if (isRecordedRelease({ origin })) for (const known of [releases, vouchedReleases]) known.changed(environmentId)
  return id
}

/** An event with a server key names a release that so far only events with a public key named. */
async function vouchForName(
  { prepare, platform, vouchedReleases }: PlaceTools,
  release: { id: string; origin: string },
  environmentId: string,
): Promise<void> {
  const origin = adopts(release, byServerKey) ? byServerKey : release.origin
  await prepare(
    `UPDATE release SET vouched_at = coalesce(vouched_at, ?1), origin = ?2, etag_version = etag_version + 1,
       updated_at = ?1 WHERE id = ?3`,
  ).run(platform.now(), origin, release.id)
  vouchedReleases.changed(environmentId)
}

/** A release that an uploaded source map names is known, in whichever environment it appears (contract §6). */
async function hasSourceMap(prepare: PlaceTools['prepare'], productId: number, version: string): Promise<boolean> {
  const found = await prepare(
    `SELECT 1 AS found FROM sourcemap_artifact JOIN sourcemap ON sourcemap.id = sourcemap_id
     WHERE sourcemap_artifact.product_id = ? AND sourcemap_artifact.release = ? AND state = 'SOURCEMAP_STATE_READY' LIMIT 1`,
  ).get(productId, version)
  return found !== undefined
}

/** Reads only the newest rows, so that the cost does not depend on how many there are. */
async function hasRoomForRelease(prepare: PlaceTools['prepare'], environmentId: string, now: number): Promise<boolean> {
  const recent = await prepare(
    `SELECT count(*) AS made FROM (SELECT created_at FROM release WHERE environment_id = ? AND origin = ?
       ORDER BY ${prepare.dialect.insertionOrder} DESC LIMIT ?) AS newest WHERE created_at > ?`,
  ).get<{ made: number }>(environmentId, byEvent, MOST_RELEASES, now - RELEASE_WINDOW_MS)
  return (recent?.made ?? 0) < MOST_RELEASES
}

/** What recording an event needs of its product. */
export interface ProductFacts {
  repository: string
  settings: z.output<typeof StoredSettings>
}

/** Reads products, each once for a transaction. Throws when the product is unknown. */
export type ReadProduct = (productId: number) => Promise<ProductFacts>

export function createProductReader(prepare: Prepare): ReadProduct {
  const known = new Map<number, ProductFacts>()
  return async (productId) => {
    const before = known.get(productId)
    if (before !== undefined) return before
    const statement = prepare('SELECT repository, settings FROM product WHERE id = ?')
    const row = await statement.get<{ repository: string; settings: string }>(productId)
    if (row === undefined) throw notFound('product', String(productId), 'use the DSN of an existing product')
    const product = { repository: row.repository, settings: readJson(StoredSettings, row.settings) }
    known.set(productId, product)
    return product
  }
}
