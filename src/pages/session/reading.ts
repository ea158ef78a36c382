import type { Api } from '../../client/api.ts'
import { timeLimit } from '../../client/budget.ts'
import type { downloadMatrix, MatrixFormatName } from '../../client/download.ts'
import type { RequestOf } from '../../contract/index.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import type { Resolver } from '../../mcp/resolve/types.ts'

/** What the pages read with a person's token; it writes nothing. */
export interface Reader {
  api: Api
  download(
    request: RequestOf<'getTraceability'>,
    format: MatrixFormatName,
    options: { signal: AbortSignal },
  ): ReturnType<typeof downloadMatrix>
}

/** What one request of a person is read with. */
export interface Reading {
  reader: Reader
  resolve: Resolver
  signal: AbortSignal
}

interface ReadingOptions {
  /** The only product that this server shows, if it was started for one. */
  product?: string | undefined
  /** How long all reads may take together. */
  timeoutMs?: number
}

/** Begins the reads of one request, which end with it or when their time is over. */
export function openReading(
  reader: Reader,
  { product: pinned, timeoutMs = 30_000 }: ReadingOptions,
  asked: AbortSignal | undefined,
): Reading {
  const limit = timeLimit(timeoutMs)
  const signal = asked === undefined ? limit : AbortSignal.any([asked, limit])
  return { reader, resolve: createResolver({ api: reader.api, pinned, signal }), signal }
}
