import { isObject } from '../../../src/lib/objects.ts'
import type { Reshaping, Reshapings } from '../reshaping.ts'

const grpcNames: Readonly<Record<number, string>> = {
  3: 'INVALID_ARGUMENT',
  5: 'NOT_FOUND',
  9: 'FAILED_PRECONDITION',
  10: 'ABORTED',
}

/** Requests and bytes in other forms, nothing lost; last, because nothing can read the answer after these. */
export const wire: Reshapings = {
  pathPrefix: { sentence: 'the API is below a path of its host', prefix: '/quality/api' },
  smallPages: {
    sentence: 'a page has at most 5 rows',
    request(request, { endpoint }) {
      if (!('page_size' in endpoint.input.shape)) return request
      const url = new URL(request.url)
      const asked = url.searchParams.get('pagination.page_size') ?? url.searchParams.get('page_size')
      url.searchParams.delete('page_size')
      url.searchParams.set('pagination.page_size', String(Math.min(5, Number(asked ?? 5))))
      return { ...request, url: url.href }
    },
  },
  errorsInError: changedError('errors are in error', (error) => ({ error })),
  errorsOfGoogle: changedError(
    'errors are in error, with HTTP status and the name of the gRPC code',
    (error, status) => ({
      error: { ...error, code: status, status: grpcNames[Number(error['code'])] ?? 'UNKNOWN' },
    }),
  ),
  textPlain: changedReply('answers are sent as text/plain', (reply) => ({
    ...reply,
    headers: { ...reply.headers, 'content-type': 'text/plain' },
  })),
  byteOrderMark: changedReply('answers begin with a byte order mark', (reply) => ({
    ...reply,
    body: Buffer.from(reply.body === '' ? '' : `\uFEFF${reply.body}`),
  })),
  oneByteChunks: changedReply('answers come in chunks of one byte', (reply) => ({
    ...reply,
    body: oneByOne(reply.body),
  })),
}

function changedReply(sentence: string, reply: NonNullable<Reshaping['reply']>): Reshaping {
  return { sentence, reply }
}

function changedError(
  sentence: string,
  change: (error: Record<string, unknown>, status: number) => unknown,
): Reshaping {
  return changedReply(sentence, (reply) => {
    if (reply.status < 400 || !reply.body.startsWith('{')) return reply
    const error: unknown = JSON.parse(reply.body)
    return isObject(error) ? { ...reply, body: JSON.stringify(change(error, reply.status)) } : reply
  })
}

async function* oneByOne(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield await Promise.resolve(Uint8Array.of(byte))
}
