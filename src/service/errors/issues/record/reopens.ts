import { compareFixes } from '../../../workspace/releases/fix-order.ts'
import { isRecordedRelease } from '../../../workspace/releases/rules.ts'
import type { OriginRelease } from './known-releases.ts'

/** In which releases a resolved issue counts as fixed. `newest` is that of the environment when it was resolved. */
export type Fix =
  | { kind: 'plain'; newest: OriginRelease | undefined }
  | { kind: 'release'; release: OriginRelease }
  | { kind: 'next'; newest: OriginRelease | undefined }

export interface Occurred {
  /** The event names a release. */
  namesRelease: boolean
  /** The row of that release; undefined also when events may not create another. */
  release: OriginRelease | undefined
  /** The known releases of the environment. */
  known: () => Promise<readonly OriginRelease[]>
}

/**
 * What an occurrence means for a resolved issue (contract §10.3):
 * - `reopens`: it happened where the issue was fixed;
 * - `older`: it comes from before the fix;
 * - `unproven`: nothing shows whether it has the fix, because its release is not known or the fixed one has not come.
 */
export type Judgement = 'reopens' | 'older' | 'unproven'

/** The judgement of an occurrence; only releases that a token made known have an order. */
export async function judge(fix: Fix, event: Occurred): Promise<Judgement> {
  const { release } = event
  if (fix.kind === 'plain') return judgePlain(fix.newest, event)
  if (release === undefined || !isRecordedRelease(release)) return 'unproven'
  if (fix.kind === 'release') return compareFixes(release, fix.release) < 0 ? 'older' : 'reopens'
  const { newest } = fix
  if (newest === undefined || compareFixes(release, newest) > 0) return 'reopens'
  const known = await event.known()
  return known.some((one) => compareFixes(one, newest) > 0) ? 'older' : 'unproven'
}

/** Resolved without a release: also events without one reopen, and all of an environment without known releases. */
async function judgePlain(
  newest: OriginRelease | undefined,
  { namesRelease, release, known }: Occurred,
): Promise<Judgement> {
  if (!namesRelease) return 'reopens'
  if (newest === undefined) {
    const isKnown = release !== undefined && isRecordedRelease(release)
    return isKnown || (await known()).length === 0 ? 'reopens' : 'unproven'
  }
  // Issues resolved before unknown releases were left out may be compared with one.
  if (release === undefined || (isRecordedRelease(newest) && !isRecordedRelease(release))) return 'unproven'
  return compareFixes(release, newest) < 0 ? 'older' : 'reopens'
}
