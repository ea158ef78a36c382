/** Words without a capital inside, capitals alone, numbers, blanks, marks, and runs of anything beyond ASCII. */
const PIECE = /[A-Z]?[a-z]+|[A-Z]+|\d+|\s+|[!-/:-@[-`{-~]+|[^\0-~]+|./gs
/** A longer one is not a word but noise, in which every other letter is a token. */
const WORD_LETTERS = 16

/**
 * About how many tokens a model pays for the text: within some percent of o200k for what results hold, more for noise. No
 * tokenizer runs in production, because its tables weigh more than the rest of the program; a test compares with it.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECE)) tokens += cost(piece)
  return Math.ceil(tokens)
}

function cost(piece: string): number {
  const { length } = piece
  const code = piece.charCodeAt(0)
  // A single blank belongs to the word after it.
  if (code <= 32) return length === 1 && code === 32 ? 0 : 1
  // Halves of a pair, such as an emoji's, are half as dear as other letters of large alphabets.
  if (code >= 0x2e80) return code >= 0xd800 && code <= 0xdfff ? length : 1.8 * length
  if (code > 126) return 0.8 * length
  // Up to three digits make one token.
  if (code >= 48 && code <= 57) return Math.ceil(length / 3)
  if (isLetter(code)) return letters(piece)
  return length <= 5 ? 0.95 : 0.7 * length
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

function letters(piece: string): number {
  const { length } = piece
  if (length > WORD_LETTERS) return Math.ceil(length / 1.8)
  return /[a-z]/.test(piece) ? 1 + Math.floor((length - 1) / 7) : Math.ceil(length / 3)
}
