/** What a character can begin and go on with. */
const CONTROL = 0
const SMALL = 1
const CAPITAL = 2
const DIGIT = 3
const BLANK = 4
const MARK = 5
const BEYOND = 6

/** A longer one is not a word but noise, in which every other letter is a token. */
const WORD_LETTERS = 16

const kinds = Uint8Array.from({ length: 0x7f }, (_, code) => asciiKind(String.fromCharCode(code)))

/**
 * About how many tokens a model pays for the text: within some percent of o200k for what results hold, more for noise. No
 * tokenizer runs in production, because its tables weigh more than the rest of the program; a test compares with it. Its
 * pieces are words without a capital inside, capitals alone, numbers, blanks, marks, and runs of anything beyond ASCII.
 * They are found by a loop over codes: a regular expression takes several times as long, and results are estimated often.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  let start = 0
  while (start < text.length) {
    const code = text.charCodeAt(start)
    const kind = kindFrom(code)
    const end = endOfPiece(text, start, kind)
    const isWord = kind === SMALL || (kind === CAPITAL && kindFrom(text.charCodeAt(end - 1)) === SMALL)
    tokens += cost(code, kind, end - start, isWord)
    start = end
  }
  return Math.ceil(tokens)
}

function asciiKind(character: string): number {
  if (/[a-z]/.test(character)) return SMALL
  if (/[A-Z]/.test(character)) return CAPITAL
  if (/\d/.test(character)) return DIGIT
  if (/\s/.test(character)) return BLANK
  return /[!-~]/.test(character) ? MARK : CONTROL
}

function kindFrom(code: number): number {
  if (code < 0x7f) return kinds[code] ?? CONTROL
  return isWideBlank(code) ? BLANK : BEYOND
}

/** The blanks of `\s` beyond ASCII. */
function isWideBlank(code: number): boolean {
  if (code < 0x1680) return code === 0xa0
  if (code >= 0x2000 && code <= 0x205f) return code <= 0x200a || /\s/.test(String.fromCharCode(code))
  return code === 0x1680 || code === 0x3000 || code === 0xfeff
}

function endOfPiece(text: string, start: number, kind: number): number {
  let end = start + 1
  if (kind === CONTROL) return end
  // Nothing ends a run beyond ASCII but ASCII.
  if (kind === BEYOND) {
    while (end < text.length && text.charCodeAt(end) > 0x7e) end += 1
    return end
  }
  const next = end < text.length ? kindFrom(text.charCodeAt(end)) : CONTROL
  const going = kind === CAPITAL && next === SMALL ? SMALL : kind
  while (end < text.length && kindFrom(text.charCodeAt(end)) === going) end += 1
  return end
}

/** What a piece costs that begins with this character; of letters, `isWord` says whether there are small ones. */
function cost(code: number, kind: number, length: number, isWord: boolean): number {
  switch (kind) {
    case SMALL:
    case CAPITAL:
      if (length > WORD_LETTERS) return Math.ceil(length / 1.8)
      return isWord ? 1 + Math.floor((length - 1) / 7) : Math.ceil(length / 3)
    // Up to three digits make one token.
    case DIGIT:
      return Math.ceil(length / 3)
    case MARK:
      return length <= 5 ? 0.95 : 0.7 * length
    case CONTROL:
      return 1
    default:
      return blankOrBeyond(code, length)
  }
}

function blankOrBeyond(code: number, length: number): number {
  // A single blank belongs to the word after it.
  if (code <= 32) return length === 1 && code === 32 ? 0 : 1
  // Halves of a pair, such as an emoji's, are half as dear as other letters of large alphabets.
  if (code >= 0x2e80) return code >= 0xd800 && code <= 0xdfff ? length : 1.8 * length
  return 0.8 * length
}
