import { readProfile } from './profile.ts'

/** A word or a quantity that says what a text is about. */
export interface Term {
  /** As in the text, in lower case. */
  text: string
  /** How much it says about the subject, between 0 and 1. */
  weight: number
}

/**
 * What a text is about: its words by concept, so that synonyms and forms of a word are one term, and its quantities in
 * base units.
 */
export function readTerms(text: string): ReadonlyMap<string, Term> {
  const { words, quantities } = readProfile(text)
  const terms = new Map<string, Term>()
  for (const { concept, text: word, weight } of words.values()) terms.set(concept, { text: word, weight })
  for (const { value, dimension, text: written } of quantities) {
    if (value !== undefined) terms.set(`${String(value)} ${dimension}`, { text: written, weight: 1 })
  }
  return terms
}
