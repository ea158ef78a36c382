import type { NormalEvent } from '../event/event.ts'
import type { Token } from './hash.ts'
import type { ReadText } from './parameterise.ts'

/** How much the SDK's fingerprint decides: nothing, everything, or together with the default values. */
type FingerprintKind = 'default' | 'custom' | 'hybrid'

const VARIABLE = /^\{\{\s*(\S+)\s*\}\}$/

/** The kind of a fingerprint; an empty one and a lone `{{ default }}` leave the decision to the service. */
export function fingerprintKind(fingerprint: readonly string[]): FingerprintKind {
  const entries = fingerprint.filter((entry) => entry.trim() !== '')
  if (entries.every(isDefault)) return 'default'
  return entries.some(isDefault) ? 'hybrid' : 'custom'
}

/**
 * The tokens of a fingerprint, with `defaults` in place of `{{ default }}`. An entry that repeats the event's own
 * message is parameterised, because the ids in it would make each event an issue.
 */
export function fingerprintTokens(event: NormalEvent, defaults: readonly Token[], readText: ReadText): Token[] {
  const messages = new Set([event.message, ...event.exceptions.map(({ value }) => value)].map((text) => text.trim()))
  return event.fingerprint
    .filter((entry) => entry.trim() !== '')
    .flatMap((entry): readonly Token[] => {
      if (isDefault(entry)) return defaults
      const text = entry.trim()
      return [['fingerprint', messages.has(text) ? readText(text) : text]]
    })
}

function isDefault(entry: string): boolean {
  return VARIABLE.exec(entry.trim())?.[1]?.toLowerCase() === 'default'
}
