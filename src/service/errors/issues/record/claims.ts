import { createHash } from 'node:crypto'
import { compareClaim, type ClaimedCode } from '../../../../lib/frames/claimed-code.ts'
import { createLocator, wantedNames } from '../../../workspace/components/locate-frame.ts'
import { parseRepositoryRoots } from '../../../workspace/components/repo-path.ts'
import { readNamedPaths } from '../../../workspace/components/snapshot.ts'
import type { Database } from '../../../sql/database.ts'
import type { NormalEvent, NormalFrame } from '../../event/event.ts'
import { relevantStacks } from '../issue-frames.ts'
import type { Symbolicator } from '../../sourcemaps/symbolicate/symbolicator.ts'

/** Frames of one event whose code is compared, the nearest to the crash first. */
const MOST_FRAMES = 10
/** Answers that are remembered: crashes repeat. */
const MOST_ANSWERS = 2_000

type ClaimingEvent = Pick<NormalEvent, 'release' | 'exceptions' | 'threads'>

export interface ClaimCheck {
  /**
   * Whether an in-app frame of the event, with source maps applied, brings a line of code that its file does not have in
   * the event's release. Only files whose text the maps of that release hold are compared.
   */
  contradicts(productId: number, event: ClaimingEvent): Promise<boolean>
  /** Call after source maps of the product were added. */
  forget(productId: number): void
}

export interface ClaimCheckOptions {
  db: Pick<Database, 'read'>
  symbolicator: Pick<Symbolicator, 'hasMaps' | 'sourceTexts'>
}

/** Compares the code that events claim with the sources of their release. */
export function createClaimCheck({ db, symbolicator }: ClaimCheckOptions): ClaimCheck {
  const known = new Map<string, boolean>()

  return {
    async contradicts(productId, event) {
      const { release } = event
      const frames = claimingFrames(event)
      if (frames.length === 0 || !(await symbolicator.hasMaps(productId, release))) return false
      const key = answerKey(productId, release, frames)
      const before = known.get(key)
      if (before !== undefined) return before
      const answer = await compare(productId, release, frames)
      if (known.size >= MOST_ANSWERS) known.clear()
      known.set(key, answer)
      return answer
    },
    forget(productId) {
      for (const key of known.keys()) if (key.startsWith(`${productId} `)) known.delete(key)
    },
  }

  async function compare(productId: number, release: string, frames: readonly NormalFrame[]): Promise<boolean> {
    const product = await db.read
      .selectFrom('product')
      .select('repository')
      .where('id', '=', productId)
      .executeTakeFirst()
    if (product === undefined) return false
    const roots = parseRepositoryRoots(product.repository)
    const named = await readNamedPaths(db.read, productId, wantedNames(frames, roots))
    const locate = createLocator({ roots, named, folders: [] })
    for (const frame of frames) {
      const { path } = locate(frame)
      const texts = path === '' ? [] : await symbolicator.sourceTexts({ productId, release, path, roots })
      const findings = texts.flatMap((lines) => compareClaim(lines, claimedCode(frame)) ?? [])
      if (findings.length > 0 && findings.every(({ is }) => is === 'absent' || is === 'changed')) return true
    }
    return false
  }
}

/** In-app frames that bring their own code; that of a mapped frame is the map's. */
function claimingFrames(event: ClaimingEvent): NormalFrame[] {
  return relevantStacks(event)
    .flatMap((frames) => frames.toReversed())
    .filter((frame) => frame.in_app && !frame.symbolicated && frame.context_line.trim() !== '')
    .slice(0, MOST_FRAMES)
}

function claimedCode({
  lineno,
  context_line: text,
  pre_context: before,
  post_context: after,
}: NormalFrame): ClaimedCode {
  return { line: lineno, text, around: [...before, ...after] }
}

function answerKey(productId: number, release: string, frames: readonly NormalFrame[]): string {
  const claims = frames.map((frame) => [frame.filename, frame.abs_path, frame.module, claimedCode(frame)])
  return `${productId} ${createHash('sha256')
    .update(JSON.stringify([release, claims]))
    .digest('base64')}`
}
