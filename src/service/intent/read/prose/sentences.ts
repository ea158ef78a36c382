const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Abbreviations whose full stop does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s("'[])(?:e\.g|i\.e|cf|vs|viz|resp|approx|ca|esp|incl|excl|no|nos|fig|figs|sec|sect|ch|eq|ref|refs|vol|ed|p|pp|al|mr|mrs|ms|dr|prof|st|inc|ltd|co|jr|sr|dept|est|max|min|ver|v)\.\s*$/i
/** "etc." and "a.m." end a sentence only if a new one follows. */
const NUMBER_OF = /(?:^|\s)(?:no|nos|fig|figs|sec|sect|ch|eq|p|pp|vol|ver|v|ed|ref|refs)\.\s*$/i
/** A marker such as "3.", "3.1.2." or "a." before the sentence. */
const MARKER = /^\s*(?:\(?\d{1,3}(?:\.\d{1,3})*[.)]|[a-zA-Z][.)])\s*$/
const INITIAL = /(?:^|\s)\p{Lu}\.\s*$/u

export interface Span {
  start: number
  end: number
}

/** The end of a sentence. A text without one is a single sentence. */
const END = /[.!?…。！？]['")\]”’»]*\s/

/** The sentences of a text, without the spaces around them. Line breaks do not end a sentence. */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = []
  if (!END.test(text)) add(spans, text, 0, text.length)
  if (spans.length > 0) return spans
  let start = 0
  let end = 0
  for (const { segment, index } of segmenter.segment(text.replaceAll('\n', ' '))) {
    if (end > start && !goesOn(text.slice(Math.max(start, end - 20), end), end - start <= 12, segment)) {
      add(spans, text, start, end)
      start = index
    }
    end = index + segment.length
  }
  add(spans, text, start, end)
  return spans
}

/** Whether the sentence that ends with `tail` goes on with `next`. */
function goesOn(tail: string, isShort: boolean, next: string): boolean {
  if (isShort && MARKER.test(tail)) return true
  if (NUMBER_OF.test(tail)) return /^\d/.test(next)
  return ABBREVIATION.test(tail) || (INITIAL.test(tail) && /^\p{Lu}\p{Ll}/u.test(next) && !isShort)
}

function add(spans: Span[], text: string, from: number, to: number): void {
  let start = from
  let end = to
  while (start < end && /\s/.test(text[start] ?? '')) start += 1
  while (end > start && /\s/.test(text[end - 1] ?? '')) end -= 1
  if (end > start) spans.push({ start, end })
}
