import type * as z from 'zod'
import type { NormalEvent } from '../../event/event.ts'
import type { StoredCorroboration } from '../columns.ts'
import { isKnownSdk } from './sdk-names.ts'

/**
 * The signs in the newest occurrence itself that it is real (contract §10.1): its release, its in-app frames and how
 * many of them a source map resolved, its SDK. How many of its files are known from members is counted when the issue
 * is read (`matchedFiles`).
 */
export function corroborate(
  event: Pick<NormalEvent, 'exceptions' | 'sdk'>,
  releaseId: string,
): z.input<typeof StoredCorroboration> {
  const frames = event.exceptions.flatMap((exception) => exception.frames).filter((frame) => frame.in_app)
  return {
    release_id: releaseId,
    frames_total: frames.length,
    frames_symbolicated: frames.filter((frame) => frame.symbolicated).length,
    sdk_known: isKnownSdk(event.sdk.name),
  }
}
