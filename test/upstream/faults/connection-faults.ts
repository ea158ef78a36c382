import { once, SENTENCE, type Cut, type Detour, type Fault } from './fault.ts'
import { passes, passesUndone, refused, stays, staysUndone, unreadableOrBroken } from './rights.ts'

/** What refuses connections, breaks them, cuts answers, or stays silent. */
export const connectionFaults: readonly Fault[] = [
  detour('refused', 'a closed port', 'Nothing listens at the address'),
  { ...detour('refused once', 'a closed port', 'The port is closed while the deployment restarts'), ...onceUndone() },
  detour('no such name', 'an unknown name', 'The DNS does not know the name of the host'),
  { ...detour('no such name once', 'an unknown name', 'The DNS fails for a moment'), ...onceUndone() },
  certificate('TLS self-signed', 'a self-signed certificate', 'The certificate is signed by itself alone'),
  certificate('TLS expired', 'an expired certificate', 'The certificate has expired'),
  certificate('TLS other host', 'a certificate of another host', 'The certificate is for another host'),
  certificate('TLS to HTTP', 'TLS to an HTTP port', 'The base address says https, and the port speaks HTTP'),
  detour('HTTP to TLS', 'HTTP to a TLS port', 'The base address says http, and the port speaks TLS'),
  {
    name: 'dropped',
    says: 'The connection is reset before the service sees the request.',
    strike: { kind: 'dropped' },
    ...onceUndone(),
  },
  {
    name: 'dropped always',
    says: 'Every connection is reset before the service sees the request.',
    strike: { kind: 'dropped' },
    places: ['always'],
    right: staysUndone,
  },
  broken('reset: no byte', 'before the first byte', { at: () => 0, next: 'reset' }),
  broken('reset: byte 1', 'after the first byte', { at: () => 1, next: 'reset' }),
  broken('reset: in head', 'in the head', { at: ({ head }) => Math.floor(head / 2), next: 'reset' }),
  broken('reset: after head', 'after the head', { at: ({ head }) => head, next: 'reset' }),
  broken('reset: in body', 'in the body', { at: middle, next: 'reset' }),
  broken('reset: last byte', 'before the last byte', { at: ({ total }) => total - 1, next: 'reset' }),
  { ...broken('reset always', 'in the body, always', { at: middle, next: 'reset' }), places: ['always'], right: stays },
  broken('closed: no byte', 'in silence', { at: () => 0, next: 'end' }),
  broken('closed: in body', 'in the body', { at: middle, next: 'end' }),
  broken('length too large', 'before the announced length', {
    at: ({ total }) => total,
    next: 'end',
    announced: 'longer',
  }),
  broken('chunks cut', 'between two chunks', { at: middle, next: 'end', announced: 'chunked' }),
  broken('last chunk lost', 'before the last chunk', {
    at: ({ total }) => total - 5,
    next: 'end',
    announced: 'chunked',
  }),
  {
    name: 'byte by byte',
    says: 'The answer comes complete, one byte at a time.',
    strike: whole({ at: () => 0, next: 'bytes' }),
    places: ['first', 'write'],
    right: { read: ['ok'], idempotent: ['ok'], other: ['ok'] },
  },
  silent('no head', 'nothing comes back', () => 0),
  silent('half a head', 'half of the head comes, then nothing', ({ head }) => Math.floor(head / 2)),
  silent('half a body', 'half of the body comes, then nothing', middle),
  {
    ...silent('slow drip', 'one byte comes at a time, each soon after the last', ({ head }) => head),
    strike: whole({ at: ({ head }) => head, next: 'drip' }),
  },
  ...['no head', 'half a body'].map((name): Fault => {
    const at = name === 'no head' ? () => 0 : middle
    return { ...silent(`${name}, always`, 'every answer stops', at), places: ['always'], right: stays }
  }),
  {
    name: 'garbage',
    says: 'What comes back is not HTTP.',
    strike: whole({ at: ({ total }) => total, next: 'end', instead: Buffer.from(`SSH-2.0-${SENTENCE}\r\n`) }),
    places: once,
    right: unreadableOrBroken,
  },
]

function middle({ total, head }: { total: number; head: number }): number {
  return Math.floor((head + total) / 2)
}

function whole(cut: Cut): Fault['strike'] {
  return { kind: 'back', change: (answer) => answer, cut }
}

function onceUndone(): Pick<Fault, 'places' | 'right'> {
  return { places: once, right: passesUndone }
}

function detour(name: string, to: Detour, says: string): Fault {
  return { name, says: `${says}.`, strike: { kind: 'connection', to }, places: ['always'], right: staysUndone }
}

/** No later attempt helps: the certificate or the address has to be corrected. */
function certificate(name: string, to: Detour, says: string): Fault {
  return { ...detour(name, to, says), right: refused('misconfigured') }
}

/** The service has done it, and its answer breaks once. */
function broken(name: string, where: string, cut: Cut): Fault {
  return { name, says: `The answer ends ${where}.`, strike: whole(cut), places: once, right: passes }
}

function silent(name: string, says: string, at: Cut['at']): Fault {
  return {
    name,
    says: `The connection stays open: ${says}.`,
    strike: whole({ at, next: 'silence' }),
    places: once,
    right: { ...passes, read: ['ok', 'upstream_unavailable'], idempotent: ['ok', 'outcome_unknown'] },
  }
}
