import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ConfigError, type Config } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import { createLocalFiles } from '../../mcp/files/local-files.ts'
import { uploadSourceMaps, type UploadOutcome } from '../../mcp/files/source-map-upload.ts'
import { apiFor, type Backend } from '../support/backend.ts'
import { chooseProduct } from '../support/choose-product.ts'
import { plain } from '../support/finding.ts'
import { showProgress } from './progress.ts'
import { summary } from './summary.ts'
import type { Io } from '../support/io.ts'
import { withBackend } from '../support/with-backend.ts'

/** The service needs longer to index a large bundle than for any other call. */
const TIMEOUT_MS = 300_000

/**
 * `tracegate sourcemaps upload DIR --release V`: uploads the source maps in a folder and has them indexed. Progress goes to
 * stderr, the outcome to stdout; resolves to 1 when nothing usable was uploaded.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const path = resolve(config.operands[1] ?? '')
  if (!existsSync(path)) throw new ConfigError(`sourcemaps upload: there is no file or folder ${path}`)
  return withBackend(config, io, (backend) => upload(config, backend, io), { timeoutMs: TIMEOUT_MS })
}

async function upload(config: Config, backend: Backend, io: Io): Promise<number> {
  const stop = new AbortController()
  void io
    .stopRequested()
    .then(() => stop.abort(new ServiceError('unavailable', 'stopped before the upload was complete')))
  const { signal } = stop
  const api = apiFor(backend, backend.token ?? '')
  const product = await chooseProduct(api, config.product, signal)
  const { release = '', dist, urlPrefix } = config
  const typed = resolve(config.operands[1] ?? '')
  // A user who types a path allows the files it leads to.
  const path = existsSync(typed) ? realpathSync(typed) : typed
  const files = createLocalFiles([enclosingFolder(path)])
  const progress = await showProgress(io.stderr)
  try {
    const outcome = await uploadSourceMaps(
      { productId: product.id, path, release, dist, urlPrefix },
      { api, upload: backend.upload, files, signal, onProgress: (step) => progress.show(step) },
    )
    progress.end()
    io.stdout.write(
      `${summary(outcome, { path: typed, release, product: product.name ?? product.id })
        .map(plain)
        .join('\n')}\n`,
    )
    return isUsable(outcome) ? 0 : 1
  } finally {
    progress.end()
  }
}

/** Scripts are of no use where all of their maps are rejected. */
function isUsable({ sourceMap: { state, files = [] } }: UploadOutcome): boolean {
  const maps = files.filter(({ kind }) => kind === 'source_map')
  return state === 'SOURCEMAP_STATE_READY' && (maps.length === 0 || maps.some(({ valid }) => valid !== false))
}

/** The path itself if it is a folder, else the folder that contains it. */
function enclosingFolder(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : dirname(path)
}
