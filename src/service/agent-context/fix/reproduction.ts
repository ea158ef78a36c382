import type { FixContextBody } from './bodies.ts'
import type { NoteTruncation } from '../../shared/truncation-notes.ts'
import { fewer, shortText } from './shorten.ts'

const TAGS = 10
const TAG_BYTES = 120

/**
 * Data of the newest occurrence that helps to reproduce it: transaction, request and its first ten tags, each
 * shortened.
 */
export function describeReproduction(
  event: FixContextBody['event'],
  note: NoteTruncation,
): FixContextBody['reproduction'] {
  if (event === null) return { transaction: '', request: { method: '', url: '' }, tags: {} }
  const { transaction, request, tags } = event
  const values = new Map(tags.map(({ key, value }) => [shortText(key, TAG_BYTES), shortText(value, TAG_BYTES)]))
  const shown = fewer([...values], TAGS, { member: 'reproduction.tags', note })
  return { transaction, request: { method: request.method, url: request.url }, tags: Object.fromEntries(shown) }
}
