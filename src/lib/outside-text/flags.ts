import { clean } from './clean.ts'
import { patterns, type FlagKind, type Strength } from './flag-patterns.ts'
import { readings } from './lookalikes.ts'

export type Flags = { [K in FlagKind]?: Strength }

/**
 * The flags of a raw text, before anything is removed from it. They only alert: nothing is blocked or changed because of
 * them. Linear in the length of the text; nothing but look-alike letters is decoded. For long texts: `flagSteps`.
 */
export function findFlags(raw: string): Flags {
  const flags: Flags = {}
  const hidden = hiddenStrength(raw)
  if (hidden !== undefined) flags.hidden_unicode = hidden
  for (const reading of readings(withNewlines(clean(raw)))) {
    for (const { kind, strength, pattern } of patterns) {
      if (flags[kind] !== 'strong' && flags[kind] !== strength && pattern.test(reading)) flags[kind] = strength
    }
  }
  return flags
}

/** How much is searched in one step, and how much of that again with what follows; no pattern matches more. */
const STEP = 16_384
const OVERLAP = 1_024

/**
 * The flags of texts that are shown together, each on its own line: an instruction may begin in one and end in another.
 * Yields between steps.
 */
export function* flagSteps(texts: readonly string[]): Generator<void, Flags> {
  const flags: Flags = {}
  for (const step of inSteps(texts)) {
    yield
    for (const [kind, strength] of Object.entries(findFlags(step)) as [FlagKind, Strength][]) {
      if (flags[kind] !== 'strong') flags[kind] = strength
    }
  }
  return flags
}

/** Whole texts on their own lines, of about `STEP` characters; the last ones of a step begin the next one. */
function* inSteps(texts: readonly string[]): Generator<string> {
  let [from, length] = [0, 0]
  for (const [index, text] of texts.entries()) {
    length += text.length + 1
    if (length < STEP) continue
    yield texts.slice(from, index + 1).join('\n')
    from = index + 1
    for (length = 0; from > index - 100 && from > 0 && length < OVERLAP; from -= 1)
      length += texts[from - 1]?.length ?? 0
  }
  if (length > 0) yield texts.slice(from).join('\n')
}

/** Whether any flag looks like an instruction to an agent. */
export function isAlarming(flags: Flags): boolean {
  return Object.values(flags).includes('strong')
}

/** Turns the escaped newlines of JSON into newlines, so that patterns for line starts match there too. */
function withNewlines(text: string): string {
  return text.replaceAll(/\\{1,3}[nr]/g, '\n')
}

/** Invisible letters: tags, variation selectors other than those of emoji, invisible operators. */
const LETTERS = /[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0e]|[\u2061-\u2064]/gu
/** Characters that override the direction of text. */
const OVERRIDES = /[\u202d\u202e\u2066-\u2068]/g
/** Zero-width characters within a word; scripts that join letters need them, Latin does not. At its end they are pasted. */
const SPLITS = /(?<=[A-Za-z])[\u00ad\u200b-\u200d\u2060\ufeff]+(?=[A-Za-z])|(?<=\s)[\u200b\u2060\ufeff]+(?=[A-Za-z])/g
/** Backspaces that overwrite text, and sequences that hide, clear or rename on a terminal; colours are harmless. */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
  /[\u0008]{2}|(?:\u001b\[|\u009b)(?:8m|\d{0,3}[AHJKf]|\d{0,3};\d{0,3}H)|\u001b\]|\u009d/
const RTL = /[\u0590-\u08ff]/

/** Of the line that has most of them: a name that was pasted into many lines hides nothing. */
function mostSplits(raw: string): number {
  if (!/[\u00ad\u200b-\u200d\u2060\ufeff]/.test(raw)) return 0
  return raw.split('\n').reduce((most, line) => Math.max(most, line.match(SPLITS)?.join('').length ?? 0), 0)
}

function hiddenStrength(raw: string): Strength | undefined {
  const letters = raw.match(LETTERS)?.length ?? 0
  const splits = mostSplits(raw)
  const turned = !RTL.test(raw) && OVERRIDES.test(raw)
  OVERRIDES.lastIndex = 0
  if (letters >= 3 || splits >= 3 || turned || TERMINAL.test(raw)) return 'strong'
  return /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(raw) || letters > 0 ? 'weak' : undefined
}
