import { randomBytes } from 'node:crypto'
import { confirmModes, type ConfirmMode } from '../../config-variables.ts'
import type { UsedConfirmations } from './used.ts'

/** How people confirm calls (mcp §7.2). */
export interface ConfirmOptions {
  mode: ConfirmMode
  /** TRACEGATE_SECRET, read at the first confirmation, since it may have to be created. */
  secret: () => string
  /** The address of the page that takes the decision; undefined where a person cannot open one. */
  pageLink?: (token: string) => Promise<string | undefined>
  /** Where a confirmation is marked as used; by default in this process. */
  used?: UsedConfirmations
  /** Epoch milliseconds; default `Date.now`. */
  now?: () => number
  /** How long a 2025 client may take to answer a form, in milliseconds; default 45 s, because calls end after a minute. */
  waitMs?: number
}

export const WAIT_MS = 45_000

/** The stricter of two modes: a request may narrow what the operator allows. */
export function narrower(one: ConfirmMode, other: ConfirmMode): ConfirmMode {
  return confirmModes.indexOf(one) <= confirmModes.indexOf(other) ? one : other
}

/** Whether the text names a mode. */
export function isConfirmMode(text: string): text is ConfirmMode {
  return confirmModes.some((mode) => mode === text)
}

/** The usual confirmations, signed with a key that only their holder has, for a server without a secret of the operator. */
export function confirmHere(): ConfirmOptions {
  const secret = randomBytes(32).toString('hex')
  return { mode: 'ask', secret: () => secret }
}
