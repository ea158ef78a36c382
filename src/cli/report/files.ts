import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { findPathFolder } from '../../mcp/files/path-folder.ts'
import { decodeDocument } from '../../lib/text.ts'
import { megabytes } from '../sourcemaps/summary.ts'

/** The service unpacks at most this much of one request, so a larger file cannot be sent at all. */
export const MOST_TEXT = 64 * 1024 * 1024
/** A request may have 32 MiB; this leaves space for the rest of the body. */
export const MOST_SENT = 24 * 1024 * 1024
/** The most files that one request may have. */
const MOST_FILES = 1000
/** Smaller reports are not compressed. */
const PACKED_FROM = 16 * 1024
const NAME_CHARACTERS = 500
const LARGEST_CONFIG = 256 * 1024

/** One report in the form it is sent in. */
export interface ReadReport {
  /** Its path in the repository, whatever the working directory: cases without a file are of the file with this name. */
  name: string
  /** The folder of the repository that relative paths in it are of; '' for its root. */
  folder: string
  content: string
  content_encoding: 'identity' | 'gzip+base64'
  /** Bytes of the text. */
  size: number
  /** Bytes that are sent for it. */
  sent: number
  /** Of the text and its folder: packages may have equal reports. */
  digest: string
}

/** A file that was named but cannot be sent. */
export interface Unread {
  name: string
  why: string
}

/**
 * The reports at the paths: a file, or the `.xml`, `.json`, `.jsonl`, `.tap` and `.trx` files of a folder. Names of what is left out
 * are relative to the working directory, with `/`.
 */
export function findReports(paths: readonly string[]): { files: string[]; unread: Unread[] } {
  const unread: Unread[] = []
  const files = paths.flatMap((path) => {
    const name = displayName(path)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory() !== true) {
      if (found === undefined) unread.push({ name, why: 'does not exist' })
      return found === undefined ? [] : [resolve(path)]
    }
    const inside = readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:xml|json|jsonl|tap|trx)$/i.test(entry.name))
      .map((entry) => resolve(join(path, entry.name)))
    if (inside.length === 0) unread.push({ name, why: 'holds no .xml, .json, .jsonl, .tap or .trx file' })
    return inside.toSorted()
  })
  return { files: [...new Set(files)], unread }
}

/** Whether there is a file at the path; a text that cannot be one, such as a name that is too long, is none. */
async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** The text of a file that is no larger than a configuration; '' where it cannot be read. */
async function readSmall(path: string): Promise<string> {
  try {
    return statSync(path).size > LARGEST_CONFIG ? '' : await readFile(path, 'utf8')
  } catch {
    return ''
  }
}

/** Reads a report of the repository at `root` and packs it where that is worth it; says why where it cannot be sent. */
export async function readReport(file: string, root: string): Promise<ReadReport | Unread> {
  const name = displayName(file)
  let bytes: Buffer
  try {
    const { size } = statSync(file)
    if (size > 2 * MOST_TEXT) return { name, why: tooLarge(size) }
    bytes = readFileSync(file)
  } catch (error) {
    return { name, why: `cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'error'})` }
  }
  const text = decodeDocument(bytes)
  const size = Buffer.byteLength(text)
  if (size > MOST_TEXT) return { name, why: tooLarge(size) }
  const packs = size >= PACKED_FROM
  const content = packs ? gzipSync(text).toString('base64') : text
  const sent = packs ? content.length : Buffer.byteLength(JSON.stringify(content))
  if (sent > MOST_SENT) return { name, why: tooLarge(size) }
  const folder = await findPathFolder(text, { file, root, exists: isFile, read: readSmall })
  const digest = hash('sha256', `${folder}\n${text}`, 'hex')
  return {
    name: repositoryName(file, root),
    folder,
    content,
    content_encoding: packs ? 'gzip+base64' : 'identity',
    size,
    sent,
    digest,
  }
}

/** The reports in requests, in their order: none larger than the service takes. */
export function inRequests(reports: readonly ReadReport[]): ReadReport[][] {
  const requests: ReadReport[][] = []
  let room = { size: 0, sent: 0, files: 0 }
  for (const report of reports) {
    const fits = report.size <= room.size && report.sent <= room.sent && room.files > 0
    if (!fits) {
      room = { size: MOST_TEXT, sent: MOST_SENT, files: MOST_FILES }
      requests.push([])
    }
    room = { size: room.size - report.size, sent: room.sent - report.sent, files: room.files - 1 }
    requests.at(-1)?.push(report)
  }
  return requests
}

/** One digest of all reports, whatever their order and names. */
export function digestReports(reports: readonly ReadReport[]): string {
  const digests = reports.map(({ digest }) => digest).toSorted()
  return hash('sha256', digests.join('\n'), 'hex')
}

/** The folder of the repository around the working directory, else the working directory. */
export function repositoryRoot(from = process.cwd()): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return from
  }
}

/** The name that reports of this place have in each run: each package of a repository may write a `junit.xml`. */
function repositoryName(file: string, root: string): string {
  const path = relative(root, file)
  const isInside = path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
  return isInside ? slashed(path) : displayName(file)
}

function displayName(path: string): string {
  return slashed(relative(process.cwd(), resolve(path))) || '.'
}

function slashed(path: string): string {
  return path.split(sep).join('/').slice(-NAME_CHARACTERS)
}

function tooLarge(size: number): string {
  return `is too large (${megabytes(size)}): split it`
}
