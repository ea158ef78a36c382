import { gzipSync } from 'node:zlib'
import { ELSEWHERE, once, SENTENCE, type Answer, type Fault, type Right } from './fault.ts'
import { passes, passesUndone, refused, stays, staysUndone, unreadable, unreadableOrBroken } from './rights.ts'

const html = page('502 Bad Gateway')
const maybeEmpty: Right = { ...unreadable, read: ['upstream_shape_unknown', 'not_found'] }
const MiB = 1024 * 1024

/** What answers with a status or a body that is not the service's. */
export const answerFaults: readonly Fault[] = [
  front('401', 401, grpc(16), refused('unauthenticated')),
  front('403', 403, grpc(7), refused('permission_denied')),
  front('403 page', 403, page('Forbidden'), refused('permission_denied')),
  front('404 page', 404, page('Not Found'), refused('feature_disabled')),
  front('404 text', 404, '404 page not found', refused('feature_disabled')),
  front(
    '404 of a gateway',
    404,
    '{"code":5,"message":"Not Found","details":[]}',
    refused('not_found', 'feature_disabled'),
  ),
  front('405', 405, 'Method Not Allowed', refused('feature_disabled')),
  front('408', 408, '', passesUndone),
  front('409', 409, grpc(10), refused('state_changed', 'already_exists')),
  front('412', 412, grpc(9), refused('failed_precondition')),
  front('413 page', 413, page('Request Entity Too Large'), refused('too_large')),
  front('425', 425, 'Too Early', passesUndone),
  front('400 page', 400, page('Bad Request'), refused('invalid_argument', 'upstream_shape_unknown')),
  front('501', 501, grpc(12), refused('feature_disabled')),
  ...[429, 503].flatMap((status) => waits(status)),
  ...[502, 503, 504].flatMap((status) => [
    front(`${String(status)} once`, status, html, passesUndone),
    { ...front(`${String(status)} twice`, status, html, passesUndone), times: 2 },
    { ...front(`${String(status)} always`, status, html, staysUndone), places: ['always' as const] },
  ]),
  back('502, but done', { status: 502, body: html }, passes),
  back('504 always, but done', { status: 504, body: html }, stays, ['always']),
  back('500 gRPC, but done', { status: 500, body: grpc(13) }, stays),
  front('500 gRPC', 500, grpc(13), staysUndone),
  front('500 text', 500, `Traceback: ${SENTENCE}`, staysUndone),
  ...[301, 302, 307, 308].map((status) => redirect(status)),
  front('login redirect', 302, '', redirected(), { location: '/login?next=%2F' }),
  front('200 page', 200, page('Sign in'), { ...unreadable, idempotent: ['outcome_unknown'] }),
  back('200 page, but done', { body: page('Sign in') }, { ...unreadable, idempotent: ['outcome_unknown'] }),
  back('wrong type', { headers: { 'content-type': 'text/html' } }, refused('ok')),
  back('empty 200', { body: '' }, unreadable),
  back('204', { status: 204, body: '' }, unreadable),
  // Gateways leave empty lists out.
  back('{}', { body: '{}' }, maybeEmpty),
  back('null', { body: 'null' }, unreadable),
  back('[]', { body: '[]' }, maybeEmpty),
  back('a string', { body: JSON.stringify(SENTENCE) }, unreadable),
  back('half a JSON', { body: ({ length }) => Math.floor(length / 2) }, unreadable),
  back('a wrapper of nothing', { body: '{"data":null}' }, unreadable),
  back('deep nesting', { body: '{"rows":'.repeat(100_000) + '1' + '}'.repeat(100_000) }, unreadable),
  back('gzip', { headers: { 'content-encoding': 'gzip' }, body: 'gzip' }, refused('ok')),
  back(
    'gzip, broken',
    { headers: { 'content-encoding': 'gzip' }, body: Buffer.from('not compressed') },
    unreadableOrBroken,
  ),
  back('gzip of nothing', { headers: { 'content-encoding': 'gzip' }, body: Buffer.alloc(0) }, unreadableOrBroken),
  huge('80 MB', () => Buffer.alloc(MiB, ' ')),
  huge('80 MB of gzip', bomb),
]

function page(title: string): string {
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${SENTENCE}</h1></body></html>`
}

function grpc(code: number): string {
  return JSON.stringify({ code, message: SENTENCE, details: [] })
}

let compressed: Buffer | undefined

function bomb(): Buffer {
  return (compressed ??= gzipSync(Buffer.alloc(80 * MiB, ' '), { level: 1 }))
}

/** Something in front of the service answers. */
function front(name: string, status: number, body: string, right: Right, headers: Record<string, string> = {}): Fault {
  const type = body.startsWith('<') ? 'text/html' : body.startsWith('{') ? 'application/json' : 'text/plain'
  return {
    name,
    says: `A proxy answers ${String(status)} without asking the service.`,
    strike: {
      kind: 'front',
      answer: () => ({ status, headers: { 'content-type': type, ...headers }, body: Buffer.from(body) }),
    },
    places: once,
    right,
  }
}

/** Each form of `Retry-After`; the wait itself takes no real time. */
function waits(status: number): Fault[] {
  const code = status === 429 ? ('rate_limited' as const) : ('upstream_unavailable' as const)
  const write = [code, ...(status === 503 ? (['outcome_unknown'] as const) : [])]
  const recovers: Right = { read: ['ok'], idempotent: ['ok'], other: ['ok', ...write] }
  const gives: Right = { read: [code], idempotent: write, other: write }
  const forms: [string, string | undefined, Right][] = [
    ['no wait', undefined, recovers],
    ['0', '0', recovers],
    ['2 s', '2', recovers],
    ['19 s', '19', { ...recovers, read: ['ok', code], idempotent: ['ok', ...write] }],
    ['a date', new Date(Date.now() + 5_000).toUTCString(), recovers],
    ['a past date', 'Wed, 21 Oct 2015 07:28:00 GMT', recovers],
    ['negative', '-5', recovers],
    ['no number', SENTENCE, recovers],
    ['an hour', '3600', gives],
  ]
  const body = grpc(status === 429 ? 8 : 14)
  const header = (value: string | undefined): Record<string, string> =>
    value === undefined ? {} : { 'retry-after': value }
  return [
    ...forms.map(([name, value, right]) => front(`${String(status)}, ${name}`, status, body, right, header(value))),
    ...[undefined, '1', '19'].map((value) => ({
      ...front(`${String(status)} always, ${value ?? 'no'} s`, status, body, gives, header(value)),
      places: ['always' as const],
    })),
  ]
}

function redirect(status: number): Fault {
  return front(`${String(status)} elsewhere`, status, '', redirected(), { location: ELSEWHERE })
}

function redirected(): Right {
  const write = ['upstream_shape_unknown', 'outcome_unknown'] as const
  return { read: ['upstream_shape_unknown'], idempotent: write, other: write }
}

interface Changes {
  status?: number
  headers?: Record<string, string>
  /** Another body, how many bytes of it come, or `gzip` of it. */
  body?: string | Buffer | ((body: Uint8Array) => number)
}

/** The service has done it, and its answer is another one. */
function back(name: string, changes: Changes, right: Right, places = once): Fault {
  const { status, headers = {} } = changes
  return {
    name,
    says: `The service does it, and what comes back is: ${name}.`,
    strike: {
      kind: 'back',
      change: (answer) => ({
        status: status ?? answer.status,
        headers: { ...answer.headers, ...headers },
        body: changedBody(answer.body, changes.body),
      }),
    },
    places,
    right,
  }
}

function changedBody(body: Uint8Array, change: Changes['body']): Uint8Array {
  if (change === undefined) return body
  if (change === 'gzip') return gzipSync(body)
  return typeof change === 'function' ? body.subarray(0, change(body)) : Buffer.from(change)
}

function huge(name: string, chunk: () => Buffer): Fault {
  const encoding: Record<string, string> = name.endsWith('gzip') ? { 'content-encoding': 'gzip' } : {}
  const change = ({ headers }: Answer): Answer => ({
    status: 200,
    headers: { ...headers, ...encoding },
    body: chunks(chunk(), name.endsWith('gzip') ? 1 : 80),
  })
  return {
    name,
    says: `The answer is far larger than any that is read: ${name}.`,
    strike: { kind: 'back', change },
    places: ['first', 'write'],
    right: unreadable,
  }
}

async function* chunks(chunk: Buffer, times: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < times; sent += 1) yield await Promise.resolve(chunk)
}
