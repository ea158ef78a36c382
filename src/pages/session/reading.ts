import type { Api } from '../../client/api.ts'
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

const timeoutMs = 30_000

/** `pinned` is the only product that this server shows, if it was started for one. */
export function openReading(reader: Reader, pinned: string | undefined, asked: AbortSignal | undefined): Reading {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = asked === undefined ? timeout : AbortSignal.any([asked, timeout])
  return { reader, resolve: createResolver({ api: reader.api, pinned, signal }), signal }
}
