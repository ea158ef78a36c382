import type { Database } from '../../../sql/database.ts'
import {
  readArtifacts,
  readMapsWith,
  readRelease,
  readSource,
  type Build,
  type FileOfRelease,
  type FoundSource,
  type ReleaseFacts,
  type WantedSource,
} from './artifact-rows.ts'
import { frameFile, type FrameFile, type InFile } from './frame-file.ts'
import { Lru, scaled } from './lru.ts'
import { createMatcher, type Artifact, type Match } from './match.ts'

/** How long a map that another process has confirmed may go unnoticed. */
const REFRESH_MS = 2_000
/** How long what is known is kept: uploads that another process completes or removes need not change the newest artifact. */
const KEPT_MS = 60_000
const MOST_REMEMBERED = { weight: 16 * 1024 * 1024, entries: 50_000 }

export interface ArtifactIndex {
  /** Notices what other processes have added until now, which it otherwise does within two seconds. */
  look(): Promise<void>
  /** The match of each file, by its key, given a frame of each. A file that was looked up before costs no query. */
  match(build: Build, files: ReadonlyMap<string, InFile>): Promise<Map<string, Match>>
  /** Whether a product has anything uploaded. */
  hasAny(productId: number): Promise<boolean>
  /** Whether a release has maps. */
  hasMaps(productId: number, release: string): Promise<boolean>
  /** Forgets everything about a product. */
  changed(productId: number): void
  /** Another number whenever something was forgotten. */
  revision(): number
  /** Maps of a release that name a file of the repository, the newest first. */
  mapsWith(file: FileOfRelease): Promise<readonly Artifact[]>
  /** The table of a source that a map names without its text; undefined when none was uploaded. */
  findSource(productId: number, wanted: WantedSource): Promise<FoundSource | undefined>
}

export interface ArtifactIndexOptions {
  db: Pick<Database, 'read'>
  now: () => number
  /** The part of the usual limits for what is remembered. */
  share?: number | undefined
}

/**
 * Finds artifacts of files with a few queries, however many files there are, and remembers the answers until the
 * product's artifacts change in this process, or any product's in another one (checked every two seconds by `now`), for
 * at most a minute.
 */
export function createArtifactIndex({ db, now, share = 1 }: ArtifactIndexOptions): ArtifactIndex {
  const most = scaled(MOST_REMEMBERED, share)
  const matches = new Lru<Match>(most)
  const releases = new Lru<ReleaseFacts>(most)
  const withoutAny = new Lru<true>({ weight: 10_000, entries: 10_000 })
  const texts = new Lru<{ source: FoundSource | undefined }>(most)
  const naming = new Lru<readonly Artifact[]>(most)
  const kinds = [matches, releases, withoutAny, texts, naming]
  /** Incremented whenever something is forgotten: a query that was running at that time is not remembered. */
  let epoch = 0
  let newest: number | undefined
  let lookedAt = -Infinity
  let keptSince = now()

  async function refresh(): Promise<void> {
    const time = now()
    if (time < lookedAt || time - lookedAt >= REFRESH_MS) await look()
  }

  async function look(): Promise<void> {
    const time = now()
    lookedAt = time
    const found = await db.read
      .selectFrom('sourcemap_artifact')
      .select((eb) => eb.fn.max('id').as('id'))
      .executeTakeFirst()
    const id = found?.id ?? 0
    if ((newest !== undefined && id !== newest) || time - keptSince >= KEPT_MS) forget('')
    newest = id
  }

  function forget(prefix: string): void {
    epoch += 1
    if (prefix === '') keptSince = now()
    for (const kept of kinds) kept.clear(prefix)
  }

  /** `since` is the epoch in which the value was asked for. */
  function remember<V>(kept: Lru<V>, key: string, value: V, { weight, since }: { weight: number; since: number }) {
    if (since !== epoch) return
    kept.set(key, value, weight)
    kept.trim()
  }

  async function hasAny(productId: number): Promise<boolean> {
    if (withoutAny.get(`${productId}\n`) === true) return false
    const since = epoch
    const found = await db.read
      .selectFrom('sourcemap_artifact')
      .select('id')
      .where('product_id', '=', productId)
      .limit(1)
      .executeTakeFirst()
    if (found === undefined) remember(withoutAny, `${productId}\n`, true, { weight: 1, since })
    return found !== undefined
  }

  async function findReleaseFacts({ productId, release }: Build): Promise<ReleaseFacts> {
    if (release === '') return { maps: 0, odd: [] }
    const key = `${productId}\n${release}`
    const known = releases.get(key)
    if (known !== undefined) return known
    const since = epoch
    const facts = await readRelease(db.read, productId, release)
    remember(releases, key, facts, { weight: 500 * (1 + facts.odd.length), since })
    return facts
  }

  async function readMatches(build: Build, files: readonly FrameFile[]): Promise<Match[]> {
    if (!(await hasAny(build.productId))) return files.map(createMatcher({ artifacts: [], maps: 0 }, build))
    const { maps, odd } = await findReleaseFacts(build)
    const artifacts = await readArtifacts(db.read, build, files)
    return files.map(createMatcher({ artifacts: newestFirst([...artifacts, ...odd]), maps }, build))
  }

  return {
    look,
    async match(build, files) {
      await refresh()
      const prefix = `${build.productId}\n${build.release}\n${build.dist}\n`
      const answers = new Map<string, Match>()
      const unknown: FrameFile[] = []
      for (const [key, frame] of files) {
        const known = matches.get(prefix + key)
        if (known === undefined) unknown.push(frameFile(frame))
        else answers.set(key, known)
      }
      if (unknown.length === 0) return answers
      const since = epoch
      for (const [index, match] of (await readMatches(build, unknown)).entries()) {
        const { key } = unknown[index]!
        answers.set(key, match)
        // Two bytes per character, plus the artifacts.
        remember(matches, prefix + key, match, { weight: 2 * (prefix.length + key.length) + 1_000, since })
      }
      return answers
    },
    async hasAny(productId) {
      await refresh()
      return hasAny(productId)
    },
    async hasMaps(productId, release) {
      await refresh()
      return (await findReleaseFacts({ productId, release, dist: '' })).maps > 0
    },
    changed: (productId) => forget(`${productId}\n`),
    revision: () => epoch,
    async mapsWith({ productId, release, path }) {
      await refresh()
      const key = [productId, release, path].join('\n')
      const known = naming.get(key)
      if (known !== undefined) return known
      const since = epoch
      const maps = await readMapsWith(db.read, { productId, release, path })
      remember(naming, key, maps, { weight: 500 * (1 + maps.length) + 2 * key.length, since })
      return maps
    },
    async findSource(productId, wanted) {
      const key = [productId, wanted.map.id, ...wanted.paths].join('\n')
      const known = texts.get(key)
      if (known !== undefined) return known.source
      const since = epoch
      const source = await readSource(db.read, productId, wanted)
      remember(texts, key, { source }, { weight: 300 + 2 * key.length, since })
      return source
    },
  }
}

/** The index of a product without artifacts. */
export const emptyIndex: Pick<ArtifactIndex, 'match' | 'findSource'> = {
  match(build, files) {
    const match = createMatcher({ artifacts: [], maps: 0 }, build)
    return Promise.resolve(new Map([...files].map(([key, frame]) => [key, match(frameFile(frame))])))
  },
  findSource: () => Promise.resolve(undefined),
}

/** Newest first, without duplicates. */
function newestFirst(artifacts: readonly Artifact[]): Artifact[] {
  const byId = new Map(artifacts.map((artifact) => [artifact.id, artifact]))
  return [...byId.values()].toSorted((left, right) => right.id - left.id)
}
