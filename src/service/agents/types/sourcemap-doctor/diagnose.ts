import type { Likeness } from './nearest.ts'
import type { FrameGroup } from './read-frames.ts'
import type { Cause, GroupBody } from './schema.ts'

/** Causes that follow from the reading of the frame alone. */
const certain: Partial<Record<FrameGroup['cause'], Cause>> = {
  'no release': 'NO_RELEASE',
  'map not uploaded': 'NO_UPLOAD',
  'one of several': 'PATH_MISMATCH',
  'no column': 'COLUMN_MISSING',
  'generated code': 'GENERATED_CODE',
  'damaged map': 'MAP_INVALID',
  late: 'UPLOADED_AFTER_EVENT',
}

interface Uploads {
  used: GroupBody['nearest']
  like: Likeness | undefined
  /** Whether the release has maps of files in the same folder. */
  hasFolder: boolean
}

/** Why the frames of a group have no source, from the reading of the frames and what was uploaded. */
export function findCause(group: Pick<FrameGroup, 'cause' | 'debugId' | 'dist'>, uploads: Uploads): Cause {
  const cause = compareWithUploads(group, uploads)
  return cause === 'NO_UPLOAD' && uploads.hasFolder ? 'FILE_NOT_UPLOADED' : cause
}

function compareWithUploads(
  { cause, debugId, dist }: Pick<FrameGroup, 'cause' | 'debugId' | 'dist'>,
  { used, like }: Uploads,
): Cause {
  const known = certain[cause]
  if (known !== undefined) return known
  if (cause === 'other build') return differs(debugId, used?.debug_id) ? 'DEBUG_ID_MISMATCH' : 'OTHER_BUILD'
  if (like === undefined) return 'NO_UPLOAD'
  const { nearest, alike, sameRelease } = like
  if (nearest.state === 'FAILED') return 'MAP_INVALID'
  if (alike === 'none') return 'NO_UPLOAD'
  // An event without a release finds maps by debug id only.
  if (cause === 'unknown debug id') return 'DEBUG_ID_MISMATCH'
  if (!sameRelease) return 'NO_UPLOAD'
  if (alike === 'name' && nearest.dist !== dist) return 'DIST_MISMATCH'
  if (differs(debugId, nearest.debug_id)) return 'DEBUG_ID_MISMATCH'
  return alike === 'name' ? 'PATH_MISMATCH' : 'OTHER_BUILD'
}

function differs(sent: string, uploaded: string | undefined): boolean {
  return sent !== '' && uploaded !== undefined && uploaded !== '' && sent.toLowerCase() !== uploaded
}
