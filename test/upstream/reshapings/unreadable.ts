import type { WireReply } from '../../../src/contract/base/wire.ts'
import { jsonReply, type Reshaping, type Reshapings } from '../reshaping.ts'

const html: WireReply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Done</h1>' }
const empty: WireReply = { status: 200, headers: {}, body: '' }
const noContent: WireReply = { status: 204, headers: {}, body: '' }

/** Answers that cannot be read, of reads or of writes that were done. */
export const unreadable: Reshapings = {
  emptyReads: reads('an empty body', empty),
  noContentReads: reads('204', noContent),
  emptyObjectReads: reads('an empty object', jsonReply(200, {})),
  errorReads: reads('an error with status 200', jsonReply(200, { code: 5, details: [] })),
  htmlReads: reads('a page', html),
  emptyWrites: writes('an empty body', empty),
  noContentWrites: writes('204', noContent),
  emptyObjectWrites: writes('an empty object', jsonReply(200, {})),
  htmlWrites: writes('a page', html),
  cutWrites: {
    sentence: 'a write is done and half of its answer arrives',
    reply: (reply, { request }) =>
      request.method === 'GET' || reply.status >= 300
        ? reply
        : { ...reply, body: reply.body.slice(0, reply.body.length / 2) },
  },
  errorsAsText: {
    sentence: 'errors are plain text',
    reply: (reply) =>
      reply.status < 400 ? reply : { ...reply, headers: { 'content-type': 'text/plain' }, body: 'it failed' },
  },
}

function reads(what: string, instead: WireReply): Reshaping {
  return {
    sentence: `a read is answered with ${what}`,
    request: (request) => (request.method === 'GET' ? instead : request),
  }
}

function writes(what: string, instead: WireReply): Reshaping {
  return {
    sentence: `a write is done and answered with ${what}`,
    reply: (reply, { request }) => (request.method === 'GET' || reply.status >= 300 ? reply : instead),
  }
}
