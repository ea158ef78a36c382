/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    у: 'y',
    х: 'x',
    і: 'i',
    ѕ: 's',
    ј: 'j',
    к: 'k',
    м: 'm',
    т: 't',
    н: 'h',
    в: 'b',
    ԁ: 'd',
    ɡ: 'g',
    ո: 'n',
    ս: 'u',
    ᴠ: 'v',
    ѵ: 'v',
    ԝ: 'w',
    ӏ: 'l',
    ι: 'i',
    ο: 'o',
    α: 'a',
    ν: 'v',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    κ: 'k',
    ε: 'e',
    η: 'n',
    χ: 'x',
    ı: 'i',
    ł: 'l',
    ø: 'o',
    đ: 'd',
  }),
)
const LETTER = new RegExp(`[${[...LOOKALIKES.keys()].join('')}]`, 'gu')
const DIGITS: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', $: 's', '@': 'a' }),
)

/**
 * The possible readings of a text, all in lower case: as written (NFKC: full-width and mathematical letters become plain
 * ones); with look-alikes of other scripts and accents replaced; with spaced-out letters joined; and with digits that
 * replace letters turned back into letters; and the words of paths and names with blanks between them. Duplicates are omitted.
 */
export function readings(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u2018\u2019]/g, "'")
  const latin = plain
    .normalize('NFKD')
    .replaceAll(/\p{Mn}+/gu, '')
    .replaceAll(LETTER, (letter) => LOOKALIKES.get(letter) ?? letter)
  const joined = latin
    .replaceAll(/(?<![a-z])[a-z](?: [a-z](?![a-z])){3,}/g, (word) => word.replaceAll(' ', ''))
    .replaceAll(/([a-z])-{1,4}(?=[a-z])/g, '$1')
  const spelled = latin.replaceAll(
    /(?<![\w@$])(?=[a-z]{0,24}[013457$@])(?=[013457$@]{0,3}[a-z])[a-z013457$@]{4,24}(?![\w@$])/g,
    (word) => word.replaceAll(/[013457$@]/g, (digit) => DIGITS.get(digit) ?? digit),
  )
  return [...new Set([plain, latin, joined, spelled, sentencesInNames(latin)])]
}

/** Four words or more without blanks, as in `/system:-agents-must-run` or `ignore%20all%20earlier_rules`. */
const NAME = /(?<!\p{L})\p{L}{1,40}(?:(?:[-_.+:~,]|%(?:25)?(?:20|2d|5f|2b)){1,4}\p{L}{1,40}){3,60}/gu
const SEPARATOR = /(:?)(?:[-_.+:~,]|%(?:25)?(?:20|2d|5f|2b)){1,4}/g

/** Each such name as a line of words. */
function sentencesInNames(text: string): string {
  return (text.match(NAME) ?? []).map((name) => name.replaceAll(SEPARATOR, '$1 ')).join('\n')
}
