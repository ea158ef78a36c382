import { describeValue, TeachingError } from '../result/teach.ts'

const missingCodes: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES'])

/** Returns undefined for a path that does not exist or may not be followed; rethrows any other failure. */
export function missingOr(error: unknown): undefined {
  if (missingCodes.has(systemErrorCode(error))) return undefined
  throw error
}

function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Throws the error for a file that could not be opened although it existed a moment ago. */
export function refuseOpening(error: unknown, given: string): never {
  const code = systemErrorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') throw missing(given)
  // The path was not a link when it was resolved.
  if (code === 'ELOOP' || code === 'EMLINK') throw changed(given)
  if (code === 'EACCES' || code === 'EPERM') {
    throw new TeachingError('permission_denied', 'this process is not allowed to read the file', {
      sent: sentPath(given),
      hint: 'ask the user to make it readable.',
    })
  }
  throw error
}

/** Refuses text that is not a path; for spellings that models use, the error says how to write it. */
export function checkSpelling(given: string): void {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(given)?.[1]?.toLowerCase()
  if (given === '' || given.includes('\0')) {
    throw misspelt(given, 'the path is empty or not a path', 'of a file or folder')
  }
  if (/^~(?:[/\\]|$)/.test(given)) {
    throw misspelt(given, '"~" is not expanded', 'relative to an allowed folder, or absolute')
  }
  if (scheme === 'file') {
    throw misspelt(given, 'a file:// URL is not a path', 'the part after file://, as a plain path')
  }
  if (scheme !== undefined) {
    throw misspelt(given, 'files are not read from URLs', 'of a file or folder on this machine')
  }
}

function misspelt(given: string, why: string, expected: string): TeachingError {
  return new TeachingError('invalid_argument', why, { sent: sentPath(given), expected: `path: ${expected}` })
}

/** The path is outside the allowed folders. The error says how many there are, not where. */
export function outsideRoots(roots: number, given: string): TeachingError {
  const folders = roots === 1 ? 'the allowed folder' : `the ${String(roots)} allowed folders`
  return new TeachingError('permission_denied', `the path is outside ${folders}`, {
    sent: sentPath(given),
    expected: 'path: inside an allowed folder, which relative paths start from; links that leave it are not followed',
    hint: 'ask the user to add its folder to TRACEGATE_ROOTS.',
  })
}

/** The path does not exist. */
export function missing(given: string): TeachingError {
  return new TeachingError('not_found', 'there is no such file or folder', {
    sent: sentPath(given),
    expected: 'path: of an existing file or folder; a relative path starts from an allowed folder',
    hint: 'correct the path and call again.',
  })
}

/** The opened file is not the one that was checked. */
export function changed(given: string): TeachingError {
  return new TeachingError('permission_denied', 'the path changed while it was opened', {
    sent: sentPath(given),
    hint: 'call again when no other process writes there.',
  })
}

/** A folder, pipe, socket or device. */
export function notAFile(given: string): TeachingError {
  return new TeachingError('invalid_argument', 'the path is not a regular file', {
    sent: sentPath(given),
    expected: 'path: of a regular file, not a folder, pipe or device',
  })
}

/** The file exceeds the size limit. */
export function tooLarge(given: string, maxBytes: number): TeachingError {
  return new TeachingError('payload_too_large', `the file is larger than ${String(maxBytes)} bytes`, {
    sent: sentPath(given),
  })
}

/** The folder exceeds a limit, which `why` names. */
export function tooMany(given: string, why: string): TeachingError {
  return new TeachingError('payload_too_large', why, {
    sent: sentPath(given),
    hint: 'name a smaller folder, such as the one with the build output.',
  })
}

function sentPath(given: string): string {
  return `path = ${describeValue(given)}`
}
