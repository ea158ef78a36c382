/** Longer lines, in UTF-16 units, are skipped: no parser and no pattern gets them. */
export const LONGEST_LINE = 20_000
/** Longer sentences are skipped: they are data or generated text. */
export const LONGEST_SENTENCE = 2_000
/** A paragraph longer than this is read in pieces, so that others get their turn. */
export const LONGEST_PASSAGE = 20_000
/** Characters that the Markdown parser gets at once. */
export const PARSED_AT_ONCE = 16_384
/** Criteria of one requirement, as the contract allows; further ones are context. */
export const MOST_CRITERIA = 100
/** Characters of a criterion, and of a source quote, as the contract allows. */
export const LONGEST_TEXT = 4_000
/** Candidates that are read between two turns of others. */
export const CANDIDATES_PER_TURN = 50
/** Paragraphs and list items that are read between two turns of others. */
export const BLOCKS_PER_TURN = 100
/** Scenarios that are parsed between two turns of others. */
export const ELEMENTS_PER_TURN = 20
/** Longer parts of a feature, in characters, are skipped: the parser takes them at once. */
export const LONGEST_ELEMENT = 200_000
/** Tags of a requirement, as the contract allows. */
export const MOST_TAGS = 50
/** Characters of a statement, as the contract allows. */
export const LONGEST_STATEMENT = 20_000
