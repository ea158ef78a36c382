import { shapeOf, TeachingError } from '../result/teach.ts'

const missingCodes: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES'])

/** Undefined for a path that leads nowhere or may not be followed; any other failure is thrown on. */
export function missingOr(error: unknown): undefined {
  if (missingCodes.has(systemErrorCode(error))) return undefined
  throw error
}

function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** What a failure to open a file means that was there a moment ago. */
export function refuseOpening(error: unknown, given: string): never {
  const code = systemErrorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') throw missing(given)
  // The path had no link when it was resolved.
  if (code === 'ELOOP' || code === 'EMLINK') throw changed(given)
  if (code === 'EACCES' || code === 'EPERM') {
    throw new TeachingError('permission_denied', 'this process may not read the file', {
      sent: sentPath(given),
      hint: 'ask the user to make it readable.',
    })
  }
  throw error
}

/** Refuses what is no path: each spelling that models use for one says how to write it. */
export function checkSpelling(given: string): void {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(given)?.[1]?.toLowerCase()
  if (given === '' || given.includes('\0')) {
    throw misspelt(given, 'the path is empty or no path', 'of a file or folder')
  }
  if (/^~(?:[/\\]|$)/.test(given)) {
    throw misspelt(given, '"~" is not expanded', 'relative to an allowed folder, or absolute')
  }
  if (scheme === 'file') {
    throw misspelt(given, 'a file:// address is no path', 'what follows file://, as a plain path')
  }
  if (scheme !== undefined) {
    throw misspelt(given, 'nothing is read from an address', 'of a file or folder on this machine')
  }
}

function misspelt(given: string, why: string, expected: string): TeachingError {
  return new TeachingError('invalid_argument', why, { sent: sentPath(given), expected: `path: ${expected}` })
}

/** The path leads out of the allowed folders; how many there are is told, not where. */
export function outsideRoots(roots: number, given: string): TeachingError {
  const folders = roots === 1 ? 'the allowed folder' : `the ${String(roots)} allowed folders`
  return new TeachingError('permission_denied', `the path is outside ${folders}`, {
    sent: sentPath(given),
    expected: 'path: inside an allowed folder, which relative paths start at; links out of it are not followed',
    hint: 'ask the user to add its folder to TRACEGATE_ROOTS.',
  })
}

/** Nothing is there. */
export function missing(given: string): TeachingError {
  return new TeachingError('not_found', 'there is no such file or folder', {
    sent: sentPath(given),
    expected: 'path: of a file or folder that exists; a relative one starts at an allowed folder',
    hint: 'correct the path and call again.',
  })
}

/** What was opened is not what was checked. */
export function changed(given: string): TeachingError {
  return new TeachingError('permission_denied', 'the path led elsewhere when it was opened', {
    sent: sentPath(given),
    hint: 'call again once nothing else writes there.',
  })
}

/** A folder, pipe, socket or device. */
export function noFile(given: string): TeachingError {
  return new TeachingError('invalid_argument', 'the path is no regular file', {
    sent: sentPath(given),
    expected: 'path: of a regular file, no folder, pipe or device',
  })
}

/** The file is over the cap. */
export function tooLarge(given: string, maxBytes: number): TeachingError {
  return new TeachingError('payload_too_large', `the file is larger than ${String(maxBytes)} bytes`, {
    sent: sentPath(given),
  })
}

/** The folder is over a cap, which `why` names. */
export function tooMany(given: string, why: string): TeachingError {
  return new TeachingError('payload_too_large', why, {
    sent: sentPath(given),
    hint: 'name a smaller folder, such as the one with the build output.',
  })
}

function sentPath(given: string): string {
  return `path = ${shapeOf(given)}`
}
