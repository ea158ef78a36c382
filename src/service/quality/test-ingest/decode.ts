import { createHash, hash } from 'node:crypto'
import { posix } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { InputOf } from '../../../contract/index.ts'
import { ServiceError } from '../../../errors.ts'
import { slashed } from '../../../lib/files/slashed.ts'
import { decodeDocument } from '../../../lib/text.ts'
import { startsAsReport } from '../reports/detect.ts'
import { parseReport } from '../reports/index.ts'
import { fileOfReport } from '../reports/model/report-file.ts'
import type { ParsedReport, ReportCase, ReportInput } from '../reports/model/report.ts'
import { isOutsideError, isWholeRun, ofFolder, unreadableReport } from '../reports/model/synthetic.ts'
import { wholeMilliseconds, wholeNumber } from '../reports/model/text.ts'

export type Draft = InputOf<'ingestTests'>['draft']
type Encoding = NonNullable<Draft['content_encoding']>

/** The largest size of all reports of a request together, once unpacked. */
const MOST_BYTES = 64 * 1024 * 1024

export interface DraftWarning {
  code: string
  message: string
  file: string
  line: number
}

/** The parsed reports of one request. */
export interface ReadDraft {
  format: ParsedReport['format']
  framework: string
  cases: ReportCase[]
  started_at: number | null
  finished_at: number | null
  /** The number of reports that were read. */
  files: number
  /** The files that the names of those reports stand for. */
  reportFiles: string[]
  /** The folders that those reports are of: '' for the whole repository. */
  folders: string[]
  /** Those of the reports that name files: the others say of no file that it is gone. */
  foldersOfFiles: string[]
  warnings: DraftWarning[]
  /** SHA-256 of the content and the folders: the run key of a request that names none, so that sending a report twice makes one run. */
  contentKey: string
}

/**
 * Reads the reports of a request (contract §4.1). A file among several that cannot be read becomes a warning, and one
 * that was meant as a report an ERROR case, too. If none can be read, throws the first error: `REPORT_UNPARSABLE`,
 * `FORMAT_UNKNOWN` or `REPORT_EMPTY`; always throws `PAYLOAD_TOO_LARGE`.
 */
export function readDraft(draft: Draft): ReadDraft {
  const { content, format, content_encoding, files = [], cases } = draft
  const given = [
    ...(content === undefined ? [] : [{ name: '', content, format, content_encoding }]),
    ...files.map((file) => ({ ...file, format: file.format ?? format })),
  ]
  const reports: ParsedReport[] = cases === undefined ? [] : [nativeReport(cases)]
  const unread: ReportCase[] = []
  const reportFiles: string[] = []
  const folders = new Set<string>(cases === undefined ? [] : [''])
  const foldersOfFiles = new Set(folders)
  const warnings: DraftWarning[] = []
  const failures: unknown[] = []
  const left = { bytes: MOST_BYTES }
  const hash = createHash('sha256')
  if (cases !== undefined) hash.update(JSON.stringify(cases))
  for (const file of given) {
    let text: ReportInput['content'] | undefined
    try {
      text = unpack(file.content, file.content_encoding ?? 'identity', left)
      hash.update(typeof text === 'string' ? text : JSON.stringify(text))
      const report = parseReport({ name: file.name, content: text, format: file.format })
      const source = digestContent(text)
      const folder = 'folder' in file ? plainFolder(file.folder) : ''
      if (folder !== '') hash.update(`\n${folder}`)
      const place = placeIn(folder)
      folders.add(folder)
      if (report.cases.some(namesFile)) foldersOfFiles.add(folder)
      reports.push({ ...report, cases: report.cases.map((one) => ({ ...place(one), source })) })
      reportFiles.push(fileOfReport(file.name))
      warnings.push(...report.warnings.map((warning) => ({ ...warning, file: file.name })))
    } catch (thrown) {
      if (!(thrown instanceof ServiceError) || thrown.code === 'payload_too_large') throw thrown
      failures.push(thrown)
      // What cannot even be unpacked may have been a report.
      const isReport = text === undefined || startsAsReport({ ...file, content: text })
      if (isReport && thrown.reason !== 'REPORT_EMPTY')
        unread.push({
          ...unreadableReport(fileOfReport(file.name), thrown.message),
          source: digestContent(text ?? file.content),
        })
      warnings.push({ code: thrown.reason, message: thrown.message, file: file.name, line: errorLine(thrown) })
    }
  }
  if (reports.length === 0) throw failures[0] ?? nothingGiven()
  const joined = join(reports)
  return {
    ...joined,
    cases: [...joined.cases, ...unread],
    files: reports.length,
    reportFiles,
    folders: [...folders],
    foldersOfFiles: [...foldersOfFiles],
    warnings,
    contentKey: `sha256:${hash.digest('hex')}`,
  }
}

/** The folder as each sender may write it: `./packages/cart/` is `packages/cart`, and `.` is the whole repository. */
function plainFolder(folder = ''): string {
  const path = posix.normalize(slashed(folder)).replace(/\/+$/, '')
  return path === '.' ? '' : path
}

function namesFile({ file_path: path, isFileOfReport = false }: ReportCase): boolean {
  return path !== '' && !isFileOfReport
}

/**
 * Puts cases with a relative path into the folder that their report names; those of a class or suite without a file, and what
 * concerns the whole run, are of the project with its name.
 */
function placeIn(folder: string): (one: ReportCase) => ReportCase {
  if (folder === '') return (one) => one
  return (one) => {
    const { file_path: path, isFileOfReport = false } = one
    if (path === '' && one.project === '' && (!isWholeRun(one) || isOutsideError(one))) return ofFolder(one, folder)
    const isElsewhere = path === '' || isFileOfReport || /^(?:[\\/]|[a-z][\w+.-]*:)/i.test(path)
    return isElsewhere ? one : { ...one, file_path: posix.join(folder, path) }
  }
}

function digestContent(content: ReportInput['content']): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return hash('sha256', text, 'hex').slice(0, 16)
}

function join(reports: readonly ParsedReport[]) {
  const times = (pick: (report: ParsedReport) => number | null) => reports.flatMap((report) => pick(report) ?? [])
  const started = times(({ started_at }) => started_at)
  const finished = times(({ finished_at }) => finished_at)
  return {
    format: reports[0]!.format,
    framework: reports.find(({ framework }) => framework !== '')?.framework ?? '',
    cases: reports.flatMap((report) => report.cases),
    started_at: started.length === 0 ? null : started.reduce((least, at) => Math.min(least, at)),
    finished_at: finished.length === 0 ? null : finished.reduce((most, at) => Math.max(most, at)),
  }
}

function unpack(content: NonNullable<Draft['content']>, encoding: Encoding, left: { bytes: number }) {
  if (typeof content !== 'string') return content
  if (encoding === 'identity') return charge(content, left)
  const bytes = Buffer.from(content, 'base64')
  if (encoding === 'base64') return charge(decodeDocument(bytes), left)
  try {
    return charge(decodeDocument(gunzipSync(bytes, { maxOutputLength: Math.max(1, left.bytes) })), left)
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge()
    const message = 'the content is not base64-encoded gzip; correct content_encoding'
    throw new ServiceError('invalid_argument', message, { reason: 'REPORT_UNPARSABLE', cause })
  }
}

function charge(text: string, left: { bytes: number }): string {
  left.bytes -= Buffer.byteLength(text)
  if (left.bytes < 0) throw tooLarge()
  return text
}

function tooLarge(): ServiceError {
  const message = `the reports of one request are over ${String(MOST_BYTES / 1024 / 1024)} MiB once unpacked; send them in several requests with the same run_key`
  return new ServiceError('payload_too_large', message, { reason: 'PAYLOAD_TOO_LARGE' })
}

function nothingGiven(): ServiceError {
  return new ServiceError('invalid_argument', 'the draft has no report: pass content, files or cases', {
    reason: 'REPORT_EMPTY',
    violations: [{ field: 'draft', description: 'must have content, files or cases' }],
  })
}

function errorLine({ metadata }: ServiceError): number {
  return Number(metadata['line'] ?? 0)
}

function nativeReport(cases: NonNullable<Draft['cases']>): ParsedReport {
  return {
    format: 'REPORT_FORMAT_NATIVE',
    framework: '',
    started_at: null,
    finished_at: null,
    warnings: [],
    cases: cases.map((one) => ({
      file_path: one.file_path,
      suite_path: one.suite_path,
      name: one.name,
      project: one.project ?? '',
      status: one.status,
      attempts: wholeNumber(one.attempts, 1),
      duration_ms: wholeMilliseconds(one.duration_ms ?? 0),
      message: one.message ?? '',
      trace: one.trace ?? '',
      line: wholeNumber(one.line, 0),
      tags: one.tags ?? [],
      labels: {},
      external_id: one.external_id ?? '',
      references: one.requirement_keys ?? [],
      started_at: null,
    })),
  }
}
