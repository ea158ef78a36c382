import { hash } from 'node:crypto'
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
/** Answers for frames that are remembered: crashes repeat, and different ones share most of their frames. */
const MOST_ANSWERS = 20_000

type ClaimingEvent = Pick<NormalEvent, 'release' | 'exceptions' | 'threads'>

export interface ClaimCheck {
  /**
   * Whether an in-app frame of the event, with source maps applied, brings a line of code that its file does not have in
   * the event's release. Only files whose text the maps of that release hold are compared.
   */
  contradicts(productId: number, event: ClaimingEvent): Promise<boolean>
}

export interface ClaimCheckOptions {
  db: Pick<Database, 'read'>
  symbolicator: Pick<Symbolicator, 'hasMaps' | 'sourceTexts' | 'revision'>
}

/** Compares the code that events claim with the sources of their release; remembers the answers while no source map changes. */
export function createClaimCheck({ db, symbolicator }: ClaimCheckOptions): ClaimCheck {
  const known = new Map<string, boolean>()
  /** Of the source maps that the answers are for. */
  let revision = 0

  return {
    async contradicts(productId, event) {
      const { release } = event
      const frames = claimingFrames(event)
      if (frames.length === 0 || !(await symbolicator.hasMaps(productId, release))) return false
      if (symbolicator.revision() !== revision) known.clear()
      revision = symbolicator.revision()
      const claims = frames.map((frame) => ({ frame, key: claimKey(productId, release, frame) }))
      if (claims.some(({ key }) => known.get(key) === true)) return true
      const unknown = claims.filter(({ key }) => !known.has(key))
      return unknown.length > 0 && compare(productId, release, unknown)
    },
  }

  /** Whether one of the frames brings code that its file does not have. */
  async function compare(productId: number, release: string, claims: readonly Claim[]): Promise<boolean> {
    const started = revision
    const product = await db.read
      .selectFrom('product')
      .select('repository')
      .where('id', '=', productId)
      .executeTakeFirst()
    if (product === undefined) return false
    const roots = parseRepositoryRoots(product.repository)
    const frames = claims.map(({ frame }) => frame)
    const named = await readNamedPaths(db.read, productId, wantedNames(frames, roots))
    const locate = createLocator({ roots, named, folders: [] })
    const answers = new Map<string, boolean>()
    for (const { frame, key } of claims) {
      const { path } = locate(frame)
      const texts = path === '' ? [] : await symbolicator.sourceTexts({ productId, release, path, roots })
      const findings = texts.flatMap((lines) => compareClaim(lines, claimedCode(frame)) ?? [])
      answers.set(key, findings.length > 0 && findings.every(({ is }) => is === 'absent' || is === 'changed'))
    }
    if (started === symbolicator.revision()) remember(answers)
    return [...answers.values()].includes(true)
  }

  function remember(answers: ReadonlyMap<string, boolean>): void {
    if (known.size + answers.size > MOST_ANSWERS) known.clear()
    for (const [key, answer] of answers) known.set(key, answer)
  }
}

/** A frame that brings code, and the key of the answer for it. */
interface Claim {
  frame: NormalFrame
  key: string
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

function claimKey(productId: number, release: string, frame: NormalFrame): string {
  const claim = [release, frame.filename, frame.abs_path, frame.module, claimedCode(frame)]
  return `${productId} ${hash('sha256', JSON.stringify(claim), 'base64')}`
}
