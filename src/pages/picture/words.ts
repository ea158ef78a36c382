import type { GatePicture } from './types.ts'

interface StatusWords {
  tone: 'good' | 'warn' | 'bad' | 'open'
  symbol: string
  /** What it means for the release. */
  says: string
}

const known: Readonly<Record<string, StatusWords>> = {
  PASS: { tone: 'good', symbol: '✓', says: 'Ready to ship' },
  PASS_WITH_RISK: { tone: 'warn', symbol: '✓', says: 'Ready to ship, with accepted risks' },
  WARN: { tone: 'warn', symbol: '!', says: 'Ready to ship, with warnings' },
  FAIL: { tone: 'bad', symbol: '✗', says: 'Not ready to ship' },
  INCONCLUSIVE: { tone: 'open', symbol: '?', says: 'Not decided: evidence is missing' },
  WAIVED: { tone: 'warn', symbol: '✓', says: 'Covered by an accepted risk' },
  NOT_EVALUATED: { tone: 'open', symbol: '?', says: 'Not evaluated' },
}

/** How a status of a verdict or a condition looks, and what it means. */
export function statusWords(status: string | undefined): StatusWords {
  return known[status ?? ''] ?? { tone: 'open', symbol: '?', says: 'Not decided' }
}

/** PASS_WITH_RISK as `PASS WITH RISK`. */
export function shownStatus(status: string | undefined): string {
  return status === undefined ? 'not stated' : status.replaceAll('_', ' ')
}

/** `issue_ignored` as `issue ignored`, and RESULT_STATUS_FAILED as `failed`. */
export function shownWord(word: string): string {
  return word
    .replace(/^[A-Z]+_(?:STATUS|STATE)_/, '')
    .replaceAll('_', ' ')
    .toLowerCase()
}

/** The verdict in one line, such as for a title: `FAIL – Shop, release 1.4.1`. */
export function pictureTitle({ status, product, scope }: GatePicture): string {
  return `${shownStatus(status)} – ${[product, scope].filter(Boolean).join(', ')}`
}
