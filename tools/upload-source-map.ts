import * as z from 'zod'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { uploadSourceMaps, type UploadOutcome, type UploadProgress } from '../src/mcp/files/source-map-upload.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { knownName } from '../src/mcp/text/untrusted.ts'

export const uploadSourceMap = defineTool({
  name: 'upload_source_map',
  toolset: 'sourcemaps',
  // The same bytes again change nothing.
  effect: 'update',
  local: true,
  title: 'Upload source maps',
  description:
    'Upload a source map so that minified stack frames show original code: one .map or minified file, or a build folder. ' +
    'Creates the upload, sends the files and confirms it in one call. ' +
    'Error issues of that release that wait for the map are symbolicated again.',
  input: z.strictObject({
    product: parameters.Product,
    release: z.string().trim().min(1).max(250).describe('Version that the frames to be mapped are of.'),
    path: z.string().min(1).max(4096).describe('Local file or build folder.'),
    minified_url: z
      .string()
      .max(1000)
      .describe('Where the minified file is served, if its frames have another path; of a folder, ending in /.')
      .optional(),
  }),
  output: z.object({
    sourcemap: z.object({ id: z.string(), state: z.string().optional(), release: z.string().optional() }),
    sent: z.object({
      maps: z.int(),
      minified_files: z.int(),
      bytes: z.int(),
      same_bytes_known: z.boolean().optional(),
    }),
    resymbolicated_issues: z.int().optional(),
    error: z.string().optional(),
    warnings: z
      .array(z.object({ path: z.string().optional(), valid: z.boolean().optional(), warning: z.string() }))
      .optional(),
    maps_not_in_folder: z.array(z.object({ file: z.string(), map: z.string() })).optional(),
    not_sent: z.object({ other_files: z.int().optional(), links: z.int().optional() }).optional(),
  }),
  cuts: [
    { path: 'maps_not_in_folder', least: 3 },
    { path: 'warnings', least: 5 },
  ],

  async run({ product: given, release, path, minified_url: minifiedUrl }, context) {
    const { local: files, upload, api, signal } = context
    if (files === undefined || upload === undefined) throw notOnThisMachine()
    const product = await context.resolve.product(given, { write: true })
    const place = minifiedUrl === undefined ? {} : placeOf(minifiedUrl, path)
    const outcome = await uploadSourceMaps(
      { productId: product.id, path, release, ...place },
      { api, upload, files, signal, onProgress: (progress) => context.progress(percent(progress)) },
    )
    const { sourceMap } = outcome
    const known = knownName(sourceMap.release, sourceMap.release_known)
    return {
      answer: answerLine(outcome, known),
      product,
      data: {
        sourcemap: { id: sourceMap.id, state: withoutPrefix(sourceMap.state, 'SOURCEMAP_STATE_'), release: known },
        sent: {
          maps: outcome.maps,
          minified_files: outcome.scripts,
          bytes: outcome.sizeBytes,
          ...(outcome.known && { same_bytes_known: true }),
        },
        resymbolicated_issues: outcome.resymbolicated,
        error: sourceMap.error?.message,
        warnings: warningsOf(outcome),
        maps_not_in_folder: outcome.unmatched.map(({ file, map }) => ({ file, map: nameOf(map) })),
        not_sent: {
          ...(outcome.others > 0 && { other_files: outcome.others }),
          ...(outcome.links > 0 && { links: outcome.links }),
        },
      },
      next: nextOf(outcome, product.id, known),
    }
  },
})

function notOnThisMachine(): TeachingError {
  return new TeachingError('unimplemented', 'files of this machine can be read over stdio only', {
    hint: 'ask the user to run: tracegate sourcemaps upload DIR --release VERSION',
  })
}

/** `https://shop.example/assets/app.js` as the prefix before its name, and the name its map is found by. */
function placeOf(minifiedUrl: string, path: string): { urlPrefix?: string; fileName?: string } {
  // A bare origin is a folder too.
  const plain = minifiedUrl.replace(/[?#].*$/, '').replace(/^([a-z][a-z0-9+.-]*:\/\/[^/]+)$/i, '$1/')
  const end = plain.lastIndexOf('/') + 1
  const name = plain.slice(end)
  return {
    ...(end > 0 && { urlPrefix: plain.slice(0, end) }),
    ...(name !== '' && { fileName: path.endsWith('.map') ? `${name}.map` : name }),
  }
}

/** One number over the whole call: reading takes the first third, sending goes up to 90. */
function percent({ step, done, total }: UploadProgress): Parameters<Context['progress']>[0] {
  const part = total === 0 ? 0 : Math.min(1, done / total)
  if (step === 'index') return { done: 90, total: 100, message: 'indexing' }
  const [from, width, message] =
    step === 'read' ? ([0, 30, 'reading the files'] as const) : ([30, 60, 'sending'] as const)
  return { done: from + Math.floor(part * width), total: 100, message }
}

function answerLine(outcome: UploadOutcome, release: string | undefined): string {
  const { sourceMap, known, resymbolicated } = outcome
  const of = release === undefined ? 'the release' : `release ${release}`
  if (sourceMap.state !== 'SOURCEMAP_STATE_READY') {
    return `The upload for ${of} is not usable: ${withoutPrefix(sourceMap.state, 'SOURCEMAP_STATE_') ?? 'its state is unknown'}.`
  }
  const scripts = outcome.scripts === 0 ? '' : ` and ${counted(outcome.scripts, 'minified file')}`
  const what = `${counted(outcome.maps, 'source map')}${scripts}`
  if (known) return `Nothing was sent: the service has these bytes (${what}) and uses them for ${of} too.`
  const issues = resymbolicated === undefined ? '' : `; ${counted(resymbolicated, 'issue')} symbolicated again`
  return `Uploaded ${what} for ${of}${issues}.`
}

/** A comment in a built file may be anybody's: what looks like a path is shown, anything else is not. */
function nameOf(map: string): string {
  return /^[\w@.~%+/-]{1,200}$/.test(map) ? map : `a name of ${String(map.length)} characters`
}

function warningsOf({ sourceMap }: UploadOutcome) {
  return (sourceMap.files ?? [])
    .filter(({ valid, warnings }) => valid === false || (warnings ?? []).length > 0)
    .map(({ path, valid, warnings = [] }) => ({
      path,
      ...(valid === false && { valid }),
      warning: warnings.join('; ') || 'not usable',
    }))
}

function nextOf({ resymbolicated = 0 }: UploadOutcome, product: string, release: string | undefined) {
  if (resymbolicated === 0) return []
  const args = { product, ...(release !== undefined && { release }) }
  return [{ tool: 'find_error_issues', why: 'the issues whose frames show original code now', args }]
}
