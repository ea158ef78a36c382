import type { Selectable } from 'kysely'
import { withoutHashes } from '../../../errors/grouping/paths.ts'
import { readError } from '../../../errors/sourcemaps/uploads/stored.ts'
import type { Rows } from '../../../sql/database.ts'
import type { Schema } from '../../../sql/schema.ts'
import type { GroupBody } from './schema.ts'

/** Uploaded files of one release, or of all, that are compared, the newest first. */
const MOST_FILES = 2_000

type Nearest = NonNullable<GroupBody['nearest']>

/** An uploaded file that is like one in a stack. */
export interface Likeness {
  nearest: Nearest
  /** `name`: the same name. `stable`: the same apart from what a bundler made of the content. `none`: the upload only. */
  alike: 'name' | 'stable' | 'none'
  sameRelease: boolean
}

interface UploadedFile extends Nearest {
  /** Name of the minified file that it is, or is the map of. */
  name: string
  segments: readonly string[]
  isMap: boolean
}

/** The files of a release, or of all releases, by name and by name without hashes. */
interface Files {
  byName: ReadonlyMap<string, readonly UploadedFile[]>
  byStableName: ReadonlyMap<string, readonly UploadedFile[]>
  /** Names of the folders with a map that can be used; '' is the root. */
  mappedFolders: ReadonlySet<string>
}

/** Finds the upload that comes nearest to a file of a release; the uploads of a release are read once. */
export function createNearest(rows: Rows, productId: number) {
  const readUpload = keptByKey((id: string) => readUploadById(rows, productId, id))
  const readUnfinished = keptByKey((release: string) => readUnfinishedUploads(rows, productId, release))
  const loadFiles = keptByKey(async (release: string | undefined): Promise<Files> => {
    const files = await readFiles(rows, productId, release)
    return {
      byName: Map.groupBy(files, ({ name }) => name),
      byStableName: Map.groupBy(files, ({ name }) => withoutHashes(name)),
      mappedFolders: new Set(
        files.filter(({ isMap, state }) => isMap && state === 'READY').map(({ segments }) => folderName(segments)),
      ),
    }
  })

  return {
    /** The upload with that id. */
    byId: readUpload,

    /** Whether the release has maps of files in the folder of this one; only the folder's own name is compared. */
    async hasFolder({ release, file }: { release: string; file: string }): Promise<boolean> {
      return release !== '' && (await loadFiles(release)).mappedFolders.has(folderName(splitPath(file)))
    },

    /** The file of the same release that is most like this one, else an upload of it that failed, else of any release. */
    async find({ release, file }: { release: string; file: string }): Promise<Likeness | undefined> {
      if (release !== '') {
        const own = pickAlike(await loadFiles(release), file)
        if (own !== undefined) return { ...own, sameRelease: true }
        const unfinished = (await readUnfinished(release)).find(({ mayHold }) => mayHold(fileName(file)))
        if (unfinished !== undefined) return { nearest: unfinished.upload, alike: 'none', sameRelease: true }
      }
      const other = pickAlike(await loadFiles(undefined), file)
      return other && { ...other, sameRelease: false }
    },
  }
}

/** Reads what belongs to a key once. */
function keptByKey<K, V>(read: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const kept = new Map<K, V>()
  return async (key) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const found = await read(key)
    kept.set(key, found)
    return found
  }
}

function pickAlike({ byName, byStableName }: Files, path: string): Omit<Likeness, 'sameRelease'> | undefined {
  const segments = splitPath(path)
  const name = fileName(path)
  const sameName = byName.get(name)
  const alike = sameName ?? byStableName.get(withoutHashes(name)) ?? []
  const [best] = alike.toSorted(
    (left, right) => commonEnd(right.segments, segments) - commonEnd(left.segments, segments),
  )
  if (best === undefined) return undefined
  const { name: _name, segments: _segments, isMap: _isMap, ...nearest } = best
  return { nearest, alike: sameName === undefined ? 'stable' : 'name' }
}

function fileName(path: string): string {
  return splitPath(path).at(-1) ?? ''
}

function folderName(segments: readonly string[]): string {
  return segments.at(-2) ?? ''
}

function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '~')
}

/** Equal folders above the file, counted from the end. */
function commonEnd(left: readonly string[], right: readonly string[]): number {
  let common = 0
  while (common < left.length - 1 && left.at(-2 - common) === right.at(-2 - common)) common += 1
  return common
}

async function readFiles(rows: Rows, productId: number, release: string | undefined): Promise<UploadedFile[]> {
  const found = await rows
    .selectFrom('sourcemap_artifact as artifact')
    .innerJoin('sourcemap', 'sourcemap.id', 'artifact.sourcemap_id')
    .select(['artifact.sourcemap_id', 'artifact.release', 'artifact.dist', 'artifact.path', 'artifact.debug_id'])
    .select(['artifact.kind', 'artifact.counterpart', 'sourcemap.state'])
    .where('artifact.product_id', '=', productId)
    .where('artifact.kind', 'in', ['map', 'minified'])
    .$if(release !== undefined, (of) => of.where('artifact.release', '=', release ?? ''))
    .orderBy('artifact.id', 'desc')
    .limit(MOST_FILES)
    .execute()
  return found.map(({ sourcemap_id: id, kind, counterpart, state, ...file }) => {
    const minified = kind === 'minified' ? file.path : counterpart || file.path.replace(/\.map$/, '')
    const segments = splitPath(minified)
    const facts = { upload_id: id, state: shortState(state), error_code: '' }
    return { ...file, ...facts, name: segments.at(-1) ?? '', segments, isMap: kind === 'map' }
  })
}

const uploadColumns = ['id', 'release', 'dist', 'file_name', 'debug_id', 'state', 'error', 'artifact'] as const

async function readUploadById(rows: Rows, productId: number, id: string): Promise<Nearest | null> {
  const found = await rows
    .selectFrom('sourcemap')
    .select(uploadColumns)
    .where('product_id', '=', productId)
    .where('id', '=', id)
    .executeTakeFirst()
  return found === undefined ? null : viewUpload(found)
}

interface Unfinished {
  upload: Nearest
  /** Whether a minified file of that name may have been in it. */
  mayHold: (name: string) => boolean
}

/** The uploads of a release that gave no file, the newest first; a bundle only until a later upload succeeded. */
async function readUnfinishedUploads(rows: Rows, productId: number, release: string): Promise<Unfinished[]> {
  const found = await rows
    .selectFrom('sourcemap')
    .select(uploadColumns)
    .where('product_id', '=', productId)
    .where('release', '=', release)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MOST_FILES)
    .execute()
  const lastReady = found.findIndex(({ state }) => state === 'SOURCEMAP_STATE_READY')
  return found.flatMap((row, index) => {
    if (row.state === 'SOURCEMAP_STATE_READY') return []
    const isBundle = row.artifact === 'ARTIFACT_BUNDLE'
    if (isBundle && lastReady !== -1 && lastReady < index) return []
    const own = withoutHashes(fileName(row.file_name).replace(/\.map$/, ''))
    return [{ upload: viewUpload(row), mayHold: (name: string) => isBundle || withoutHashes(name) === own }]
  })
}

function viewUpload(row: Pick<Selectable<Schema['sourcemap']>, (typeof uploadColumns)[number]>): Nearest {
  return {
    upload_id: row.id,
    release: row.release,
    dist: row.dist,
    path: row.file_name,
    debug_id: row.debug_id,
    state: shortState(row.state),
    error_code: readError({ error: row.error })?.code ?? '',
  }
}

function shortState(state: string): string {
  return state.replace('SOURCEMAP_STATE_', '')
}
