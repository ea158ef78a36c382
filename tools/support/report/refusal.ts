import { reportFormatList } from '../../../src/contract/test-ingest.ts'
import { ServiceError } from '../../../src/errors.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'
import { unknownOutcome } from '../writes/outcome.ts'

const UNREADABLE: Readonly<Record<string, string>> = {
  REPORT_UNPARSABLE: 'the report cannot be read',
  FORMAT_UNKNOWN: 'the report has an unknown format',
  REPORT_EMPTY: 'the report contains no test',
}

interface Sent {
  path?: string | undefined
  report?: string | undefined
  productId: string
  /** The same report counts once. */
  isOnce: boolean
}

/** Says what is wrong with the report, with the format and the line that the service names, or whether to send it again. */
export function explainRefusal(error: unknown, { path, report, productId, isOnce }: Sent): unknown {
  if (!(error instanceof ServiceError)) return error
  const { code, reason, metadata } = error
  if (code === 'outcome_unknown' && isOnce) {
    const hint = 'send the same report again: it is the same run and counts once.'
    return new TeachingError(code, error.message, { hint }, { reason, cause: error })
  }
  if (code === 'outcome_unknown') {
    return unknownOutcome(error, { next: nextCall('list_tests', { product: productId }, 'their newest results') })
  }
  const why = UNREADABLE[reason]
  if (why === undefined) return error
  const format = /^(?!REPORT_FORMAT_AUTO$)[A-Z_]{1,40}$/.test(metadata['format'] ?? '') ? metadata['format'] : undefined
  const line = /^[1-9]\d{0,9}$/.test(metadata['line'] ?? '') ? ` in line ${metadata['line'] ?? ''}` : ''
  const as = format === undefined ? '' : ` as ${withoutPrefix(format, 'REPORT_FORMAT_')?.replaceAll('_', ' ') ?? ''}`
  return new TeachingError(
    'invalid_argument',
    `${why}${as}${line}`,
    {
      sent: path === undefined ? `report = ${describeValue(report)}` : `path = ${describeValue(path)}`,
      expected: `${reportFormatList}, as the test runner wrote it`,
      hint: 'run the tests again with one of these reporters and send the whole file.',
    },
    { reason, metadata, cause: error },
  )
}

/** For a deployment that would ignore `validate_only`. */
export function noPreview(): TeachingError {
  return new TeachingError(
    'unimplemented',
    'this deployment does not support previews of a report: it would record the results',
    {
      sent: 'dry_run = true',
      hint: 'ask the user, then call again without dry_run.',
    },
  )
}
