import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { InputOf } from '../../../src/contract/index.ts'
import { reportFormatList } from '../../../src/contract/test-ingest.ts'
import { findPathFolder } from '../../../src/mcp/files/path-folder.ts'
import { decodeDocument } from '../../../src/lib/text.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'
import { redact } from '../../../src/mcp/text/redact/index.ts'

type Draft = InputOf<'ingestTests'>['draft']

/** A report and what is known about where it was written. */
export interface ReportSource {
  draft: Draft
  /** The folder of this machine that absolute paths in the report begin with. */
  rootDir: string | undefined
  /** What looks like a credential in it, by kind. */
  secrets: Readonly<Record<string, number>>
}

const MOST_BYTES = 32 * 1024 * 1024
/** From here a report is packed: escaped into JSON, a large one would outgrow what a request may hold. */
const PACKED_BYTES = 1024 * 1024
const LARGEST_CONFIG = 256 * 1024
/** How much of a report is looked through for credentials. */
const LOOKED_THROUGH = 512 * 1024
/** How much of it in one piece: other calls have their turn in between. */
const PIECE = 32 * 1024

/** Test data is full of made-up people, and reports of paths of this machine: only credentials are worth a word. */
const TEST_DATA: ReadonlySet<string> = new Set(['home_directory', 'email', 'ip', 'card', 'iban', 'ssn', 'phone'])

const compress = promisify(gzip)

/** The report of a path on this machine, or of the text given; exactly one of the two. */
export async function readReport(
  { path, report }: { path?: string | undefined; report?: string | undefined },
  { local }: Pick<Context, 'local'>,
): Promise<ReportSource> {
  if ((path === undefined) === (report === undefined)) throw oneOfTwo(path !== undefined, local !== undefined)
  if (path === undefined)
    return source(report ?? '', '', { rootDir: local?.roots.length === 1 ? local.roots[0] : undefined })
  if (local === undefined) throw notOnThisMachine(path)
  const { bytes } = await local.read(path, { maxBytes: MOST_BYTES })
  const text = decodeDocument(bytes)
  const { name = path, ...place } = await findPlace(text, path, local)
  return source(text, name, place)
}

/** `name` tells two TAP reports apart, whose test names are unique in one file only; '' when there is none. */
async function source(text: string, name: string, { rootDir, folder = '' }: Place): Promise<ReportSource> {
  const content = await pack(text)
  const draft: Draft = name === '' ? content : { files: [{ name, ...content, ...(folder !== '' && { folder }) }] }
  return { draft, rootDir, secrets: await findCredentials(text.slice(0, LOOKED_THROUGH)) }
}

async function pack(text: string) {
  const format = 'REPORT_FORMAT_AUTO' as const
  if (text.length <= PACKED_BYTES) return { content: text, format }
  return { content: (await compress(text)).toString('base64'), content_encoding: 'gzip+base64' as const, format }
}

async function findCredentials(text: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (let at = 0; at < text.length; at += PIECE) {
    const { counts } = redact(text.slice(at, at + PIECE))
    for (const [kind, count] of Object.entries(counts))
      if (!TEST_DATA.has(kind)) found[kind] = (found[kind] ?? 0) + count
    await setImmediate()
  }
  return found
}

interface Place {
  rootDir?: string | undefined
  /** The folder below it that relative paths in the report are of. */
  folder?: string
  /** The path of the report below it. */
  name?: string
}

/** The repository around the report, as the command line finds it, else the root; and the package in it. */
async function findPlace(text: string, path: string, local: LocalFiles): Promise<Place> {
  const root = await findRoot(path, local)
  if (root === undefined) return {}
  const file = resolve(root, path)
  const rootDir = await findRepository(file, root, local)
  const files = { exists: (one: string) => local.exists(one), read: (one: string) => readSmall(one, local) }
  const folder = await findPathFolder(text, { file, root: rootDir, ...files })
  return { rootDir, folder, ...(isInside(rootDir, file) && { name: relative(rootDir, file) }) }
}

/** The text of a file that is no larger than a configuration; '' where it may not or cannot be read. */
async function readSmall(path: string, local: LocalFiles): Promise<string> {
  try {
    return decodeDocument((await local.read(path, { maxBytes: LARGEST_CONFIG })).bytes)
  } catch (error) {
    if (error instanceof TeachingError) return ''
    throw error
  }
}

async function findRepository(file: string, root: string, local: LocalFiles): Promise<string> {
  for (let folder = dirname(file); folder.length > root.length; folder = dirname(folder))
    for (const mark of ['.git', '.git/HEAD']) if (await local.exists(join(folder, mark))) return folder
  return root
}

/** The root that the file was found in; of roots inside each other the inner one. */
async function findRoot(path: string, local: LocalFiles): Promise<string | undefined> {
  if (isAbsolute(path)) {
    const [inner] = local.roots.filter((root) => isInside(root, path)).toSorted((a, b) => b.length - a.length)
    return inner ?? local.roots[0]
  }
  for (const root of local.roots) if (await local.exists(join(root, path))) return root
  return local.roots[0]
}

function isInside(folder: string, path: string): boolean {
  return !/^(?:\.\.(?:[\\/]|$)|[a-z]:)/i.test(relative(folder, path))
}

function oneOfTwo(isBoth: boolean, isLocal: boolean): TeachingError {
  const first = isLocal ? 'path of a report file, or ' : ''
  return new TeachingError('invalid_argument', 'pass the report in one way', {
    sent: isBoth ? 'path and report' : 'neither path nor report',
    expected: `${first}report with the text of one: ${reportFormatList}`,
    hint: 'let the test runner write a report, e.g. vitest run --reporter=json --outputFile=report.json, then call again.',
  })
}

function notOnThisMachine(path: string): TeachingError {
  return new TeachingError('unimplemented', 'files of this machine can be read over stdio only', {
    sent: `path = ${describeValue(path)}`,
    hint: 'call again with report = the text of the file, or ask the user to run: tracegate report FILE',
  })
}
