import { hash } from 'node:crypto'

/** An SDK's id (with dashes or without, any case) as 32 lower-case hex digits, or undefined when it is not an id. */
export function readEventId(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const id = value.trim().toLowerCase()
  if (/^[\da-f]{32}$/.test(id)) return id
  return /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(id) ? id.replaceAll('-', '') : undefined
}

/**
 * 32 hex digits made of any other text, always the same for the same text: hex digits are only recommended, and every id
 * deduplicates (contract §12). Undefined for an empty string and for anything that is not a string.
 */
export function madeEventId(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : hash('sha256', text).slice(0, 32)
}
