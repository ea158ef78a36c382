import { withoutHashes } from '../../../errors/grouping/paths.ts'
import { readError } from '../../../errors/sourcemaps/uploads/stored.ts'
import type { Rows } from '../../../sql/database.ts'
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
}

/** Finds the upload that comes nearest to a file of a release; a release is read once. */
export function createNearest(rows: Rows, productId: number) {
  const kept = new Map<string | undefined, UploadedFile[]>()

  async function loadFiles(release: string | undefined): Promise<UploadedFile[]> {
    const known = kept.get(release)
    if (known !== undefined) return known
    const found = await readFiles(rows, productId, release)
    kept.set(release, found)
    return found
  }

  return {
    /** The upload with that id. */
    async byId(uploadId: string): Promise<Nearest | null> {
      const [found] = await readUploads(rows, productId, { id: uploadId })
      return found ?? null
    },

    /** The file of the same release that is most like this one, else an upload of it that failed, else of any release. */
    async find({ release, file }: { release: string; file: string }): Promise<Likeness | undefined> {
      const own = release === '' ? undefined : pickAlike(await loadFiles(release), file)
      if (own !== undefined) return { ...own, sameRelease: true }
      const [open] = release === '' ? [] : await readUploads(rows, productId, { release })
      if (open !== undefined) return { nearest: open, alike: 'none', sameRelease: true }
      const other = pickAlike(await loadFiles(undefined), file)
      return other && { ...other, sameRelease: false }
    },
  }
}

function pickAlike(files: readonly UploadedFile[], path: string): Omit<Likeness, 'sameRelease'> | undefined {
  const segments = splitPath(path)
  const name = segments.at(-1) ?? ''
  const sameName = files.filter((file) => file.name === name)
  const stable = withoutHashes(name)
  const alike = sameName.length > 0 ? sameName : files.filter((file) => withoutHashes(file.name) === stable)
  const best = alike.toSorted(
    (left, right) => commonEnd(right.segments, segments) - commonEnd(left.segments, segments),
  )[0]
  if (best === undefined) return undefined
  const { name: _name, segments: _segments, ...nearest } = best
  return { nearest, alike: sameName.length > 0 ? 'name' : 'stable' }
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
    return { ...file, ...facts, name: segments.at(-1) ?? '', segments }
  })
}

/** An upload, or the newest one of a release that gave no file. */
async function readUploads(
  rows: Rows,
  productId: number,
  { id, release }: { id?: string; release?: string },
): Promise<Nearest[]> {
  const found = await rows
    .selectFrom('sourcemap')
    .select(['id', 'release', 'dist', 'file_name', 'debug_id', 'state', 'error'])
    .where('product_id', '=', productId)
    .$if(id !== undefined, (of) => of.where('id', '=', id ?? ''))
    .$if(release !== undefined, (of) =>
      of.where('release', '=', release ?? '').where('state', '<>', 'SOURCEMAP_STATE_READY'),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .execute()
  return found.map((row) => ({
    upload_id: row.id,
    release: row.release,
    dist: row.dist,
    path: row.file_name,
    debug_id: row.debug_id,
    state: shortState(row.state),
    error_code: readError({ error: row.error })?.code ?? '',
  }))
}

function shortState(state: string): string {
  return state.replace('SOURCEMAP_STATE_', '')
}
