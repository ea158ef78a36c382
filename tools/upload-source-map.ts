import * as z from 'zod'
import { SourceMap } from '../src/contract/sourcemaps.ts'
import { counted } from '../src/lib/counted.ts'
import { ServiceError } from '../src/errors.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { type UploadOutcome, uploadSourceMaps } from '../src/mcp/files/source-map-upload.ts'
import { rowsSearched } from '../src/mcp/resolve/requests.ts'
import type { Release } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { counts, fields, flag, rows } from '../src/mcp/result/output.ts'
import { withoutPrefix } from '../src/mcp/result/present.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { compareName, isSameVersion, knownName } from '../src/mcp/text/untrusted.ts'
import { fileName, mapLocation, percent, warningRows } from './support/errors/source-maps.ts'

const file = SourceMap.shape.files.element.shape

export const uploadSourceMap = defineTool({
  name: 'upload_source_map',
  toolset: 'sourcemaps',
  // The same bytes again change nothing.
  effect: 'update',
  local: true,
  title: 'Upload source maps',
  description:
    'Upload a source map so that minified stack frames show original code: one .map or minified file, or a build folder. ' +
    'Error issues of that release that wait for the map are symbolicated again.',
  input: z.strictObject({
    product: parameters.Product,
    release: z.string().trim().min(1).max(250).describe('Version of the frames to map.'),
    path: z.string().min(1).max(4096).describe('Local file or build folder.'),
    minified_url: z
      .string()
      .max(1000)
      .describe('Where the minified file is served, if its frames have another path; of a folder, ending in /.')
      .optional(),
  }),
  output: z.object({
    sourcemap: fields({ id: SourceMap.shape.id, state: SourceMap.shape.state, release: z.string() }),
    sent: fields({ ...counts('maps', 'minified_files', 'bytes'), same_bytes_known: flag }),
    resymbolicated_issues: z.int().optional(),
    error: z.string().optional(),
    warnings: rows({ path: file.path, valid: file.valid, warning: z.string() }).optional(),
    maps_not_in_folder: rows({ file: z.string(), map: z.string() }).optional(),
    not_sent: fields(counts('other_files', 'links')).optional(),
    limits: z.string().optional(),
  }),
  cuts: [
    { path: 'maps_not_in_folder', least: 3 },
    { path: 'warnings', least: 5 },
  ],

  async run({ product: given, release, path, minified_url: minifiedUrl }, context) {
    const { local: files, upload, api, signal } = context
    if (files === undefined || upload === undefined) throw notOnThisMachine()
    const product = await context.resolve.product(given, { write: true })
    const place = minifiedUrl === undefined ? {} : mapLocation(minifiedUrl, path)
    const outcome = await uploadSourceMaps(
      { productId: product.id, path, release, ...place },
      { api, upload, files, signal, onProgress: (progress) => context.progress(percent(progress)) },
    )
    const { sourceMap } = outcome
    const known = knownName(sourceMap.release, sourceMap.release_known)
    const { resymbolicated } = outcome
    const unused = isReady(outcome) ? await findUse(product.id, release, context) : undefined
    return {
      answer: outcomeSentence(outcome, known) + (unused === undefined ? '' : unusedWords(unused.near)),
      product,
      data: {
        sourcemap: { id: sourceMap.id, state: sourceMap.state, release: known },
        sent: {
          maps: outcome.maps,
          minified_files: outcome.scripts,
          bytes: outcome.sizeBytes,
          same_bytes_known: outcome.known,
        },
        resymbolicated_issues: resymbolicated,
        error: sourceMap.error?.message,
        warnings: warningRows(outcome),
        maps_not_in_folder: outcome.unmatched.map(({ file, map }) => ({ file, map: fileName(map) })),
        not_sent: { other_files: outcome.others || undefined, links: outcome.links || undefined },
        limits: outcome.limitsWarning,
      },
      next: [
        resymbolicated
          ? nextCall(
              'find_error_issues',
              { product: product.id, release: known },
              'the issues whose frames show original code now',
            )
          : undefined,
        unused &&
          nextCall('get_workspace_context', { product: product.id, include: ['releases'] }, 'the versions in use'),
      ],
    }
  },
})

function notOnThisMachine(): TeachingError {
  return new TeachingError('unimplemented', 'files of this machine can be read over stdio only', {
    hint: 'ask the user to run: tracegate sourcemaps upload DIR --release VERSION',
  })
}

function isReady({ sourceMap }: UploadOutcome): boolean {
  return sourceMap.state === 'SOURCEMAP_STATE_READY'
}

/**
 * Whether no release, and so no event and no test run, has the version that was uploaded for, and which releases have a
 * version like it. Undefined when it is in use, and when the deployment does not tell.
 */
async function findUse(
  productId: string,
  version: string,
  { resolve }: Context,
): Promise<{ near: Release[] } | undefined> {
  try {
    const same = await resolve.releases(productId, { version })
    if (rowsSearched(same, 'version') !== undefined) return undefined
    if (same.rows.some((row) => compareName(row.version, version) === 'exact')) return undefined
    const { rows: newest } = await resolve.releases(productId)
    if (newest.length > 0 && newest.every((row) => row.version === undefined)) return undefined
    return { near: newest.filter((row) => isSameVersion(row.version, version)) }
  } catch (error) {
    // The upload is done: what cannot be compared is no reason to report a failure.
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

function unusedWords(near: readonly Release[]): string {
  const names = [...new Set(near.flatMap((row) => knownName(row.version, row.known) ?? []))].slice(0, 3)
  const hint = names.length === 0 ? '' : ` The version in use is ${names.join(' or ')}: upload again for that one.`
  return ` No release, event or test run has this version so far, so no frame is mapped by it.${hint}`
}

function outcomeSentence(outcome: UploadOutcome, release: string | undefined): string {
  const { sourceMap, known, resymbolicated } = outcome
  const of = release === undefined ? 'the release' : `release ${release}`
  const state = withoutPrefix(sourceMap.state, 'SOURCEMAP_STATE_')
  if (sourceMap.state === 'SOURCEMAP_STATE_FAILED' || sourceMap.state === 'SOURCEMAP_STATE_EXPIRED') {
    return `The upload for ${of} is not usable: ${String(state)}.`
  }
  if (!isReady(outcome)) return `The upload for ${of} was confirmed; its state: ${state ?? 'not stated'}.`
  const scripts = outcome.scripts === 0 ? '' : ` and ${counted(outcome.scripts, 'minified file')}`
  const what = `${counted(outcome.maps, 'source map')}${scripts}`
  if (known) return `Nothing was sent: the service has these bytes (${what}) and uses them for ${of} too.`
  return `Uploaded ${what} for ${of}${usedBy(resymbolicated)}.`
}

function usedBy(issues: number | undefined): string {
  if (issues === undefined) return ''
  return issues === 0 ? '; no event has used it yet' : `; ${counted(issues, 'issue')} symbolicated again`
}
