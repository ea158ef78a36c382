import { hash } from 'node:crypto'
import type { NormalEvent } from '../../event/event.ts'
import type { JsonObject } from '../../../../lib/objects.ts'
import { boundedObject, mapBounds } from './bounded.ts'
import { readObject, readScalar } from './read.ts'
import type { Signals } from './signals.ts'

/** The user as sent. `{{auto}}` means the sender's address, which ingest does not know, so it becomes ''. */
export function readUser(payload: JsonObject, signals: Signals): NormalEvent['user'] {
  const user = readObject(payload.user, 'user', signals)
  const text = (name: string, max: number) => readScalar(user[name], `user.${name}`, max, signals)
  const address = text('ip_address', 64)
  return {
    id: text('id', 128),
    email: text('email', 254),
    username: text('username', 128),
    ip_address: address === '{{auto}}' ? '' : address,
    geo: boundedObject(readObject(user.geo, 'user.geo', signals), 'user.geo', mapBounds, signals),
  }
}

/**
 * Identifies users for counting without storing who they are: 32 hex digits of SHA-256 over the strongest identity, ''
 * without one.
 */
export function hashUser(user: NormalEvent['user']): string {
  for (const kind of ['id', 'email', 'username', 'ip_address'] as const)
    if (user[kind] !== '') return hash('sha256', `${kind}:${user[kind]}`, 'hex').slice(0, 32)
  return ''
}
