import type { EvidencePicture, Mark, Tone } from './issue-types.ts'

const markTones: Readonly<Record<string, Tone>> = {
  new: 'bad',
  regressed: 'bad',
  fatal: 'bad',
  still_firing: 'warn',
  unhandled: 'warn',
  resolved: 'good',
}

/** A word about an issue in the tone that it has. */
export function mark(word: string): Mark {
  return { word: word.replaceAll('_', ' '), tone: markTones[word] ?? 'open' }
}

const evidenceTones: Readonly<Record<string, Tone>> = {
  strong: 'good',
  partial: 'warn',
  contradicted: 'bad',
  suspicious: 'bad',
}

/** How much speaks for an issue being real. */
export function evidencePicture(word: string, says?: string): EvidencePicture {
  return { word, tone: evidenceTones[word] ?? 'open', says }
}
