import { hash } from 'node:crypto'

/** The `state` of a question: differs when anything in the value does. Of plain data with its members in a fixed order. */
export function stateDigest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22)
}
