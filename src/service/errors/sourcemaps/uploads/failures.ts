import * as z from 'zod'
import { ServiceError, type FieldViolation } from '../../../../errors.ts'
import { readError, readOutcome, type StoredUpload } from './stored.ts'
import { readJson } from '../../../sql/json.ts'

/** Files of a bundle whose problems are listed individually. */
const MOST_VIOLATIONS = 10

/** Nothing was sent to the upload's address. */
export function missing({ id }: StoredUpload): ServiceError {
  return new ServiceError(
    'failed_precondition',
    `source map ${id} was not sent; PUT it to its upload_url, then confirm`,
    {
      reason: 'UPLOAD_MISSING',
      metadata: { id },
    },
  )
}

/** The upload has expired. */
export function expired({ id }: StoredUpload): ServiceError {
  return new ServiceError('failed_precondition', `source map ${id} was not confirmed in time; create it again`, {
    reason: 'UPLOAD_MISSING',
    metadata: { id },
  })
}

/**
 * Compares the received bytes with an announced checksum and size; an empty checksum and a missing or zero size are
 * ignored. Throws `CHECKSUM_MISMATCH`.
 */
export function checkBytes(
  received: Pick<StoredUpload, 'sha256' | 'size_bytes'>,
  said: { sha256?: string | undefined; size_bytes?: number | undefined },
): void {
  const sha256 = said.sha256?.toLowerCase() ?? ''
  if (sha256 !== '' && sha256 !== received.sha256) {
    throw mismatch('sha256', `does not match: the bytes received have ${received.sha256}`)
  }
  const size = said.size_bytes ?? 0
  if (size !== 0 && size !== received.size_bytes) {
    throw mismatch('size_bytes', `does not match: ${received.size_bytes} bytes were received`)
  }
}

function mismatch(field: string, description: string): ServiceError {
  return new ServiceError('invalid_argument', `${field} ${description}; send the file again`, {
    reason: 'CHECKSUM_MISMATCH',
    violations: [{ field, description }],
  })
}

/** Nothing in the upload can be used; the upload itself says why. */
export function invalidSourceMap(upload: StoredUpload): ServiceError {
  const { code, message } = readError(upload) ?? { code: 'INVALID_SOURCE_MAP', message: 'Nothing in it can be used.' }
  return new ServiceError('invalid_argument', `source map ${upload.id} cannot be used: ${message}`, {
    reason: 'INVALID_SOURCE_MAP',
    metadata: { id: upload.id, error_code: code, ...brokenRule(upload) },
    violations: fileViolations(upload),
  })
}

/** The rule of the format that the first file breaks, for clients that do not repeat our sentences. */
function brokenRule({ error }: StoredUpload): { rule?: string } {
  const { rule } = readJson(z.object({ rule: z.string().optional() }), error ?? '{}')
  return rule === undefined ? {} : { rule }
}

function fileViolations(upload: StoredUpload): FieldViolation[] {
  return readOutcome(upload)
    .files.flatMap(({ warnings }, index) =>
      warnings.slice(0, 1).map((description) => ({ field: `files.${index}`, description })),
    )
    .slice(0, MOST_VIOLATIONS)
}
