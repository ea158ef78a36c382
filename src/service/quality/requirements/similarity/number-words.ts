const ones = [
  'zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen',
  'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen',
] // prettier-ignore
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const ordinals = [
  'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'eleventh', 'twelfth',
] // prettier-ignore

const small = new Map([
  ...ones.map((word, value) => [word, value] as const),
  ...tens.map((word, index) => [word, 20 + 10 * index] as const),
  // "second" is left out: it is a unit more often than an ordinal.
  ...ordinals.map((word, index) => [word, 3 + index] as const),
])
const large = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
])

const numberWord = [...small.keys(), ...large.keys()].join('|')
/** A number in words, such as `one hundred and twenty`; for lower-case texts. */
export const writtenNumber = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:a|an)[ -](?=hundred|thousand|million|billion))?(?:${numberWord})(?:(?:[ -]|[ -]and[ -])(?:${numberWord}))*(?![\p{L}\p{N}])`,
  'gu',
)

/** Numbers with their own words: `a dozen` is 12, `twice` is 2 times. */
const phrases: readonly [RegExp, string][] = [
  [/\bhalf a dozen\b/gu, '6'],
  [/\b(?:a|one) dozen\b/gu, '12'],
  [/\bdozen\b/gu, '12'],
  [/\b(?:an? )?half an? (?=\p{L})/gu, '0.5 '],
  [/\bone and a half\b/gu, '1.5'],
  [/\ba pair of\b/gu, '2'],
  [/\ba couple of\b/gu, '2'],
  [
    /\bonce(?! (?:the|an?|all|every|it|they|he|she|this|that|these|those|its|their|\p{L}+ (?:is|are|has|have|was|were))\b)/gu,
    '1 times',
  ],
  [/\bonce(?= (?:per|an?|every|each) (?:second|minute|hour|day|week|month|year)\b)/gu, '1 times'],
  [/\btwice\b/gu, '2 times'],
  [/\bthrice\b/gu, '3 times'],
  [/\bdouble\b/gu, '2 times'],
  [/\btriple\b/gu, '3 times'],
  [/\b(?:a )?quarter of an hour\b/gu, '15 minutes'],
]

/** Writes the numbers of a lower-case text in digits: `twenty-five` becomes 25, `3rd` becomes 3, `10 thousand` 10000. */
export function numbersInDigits(text: string): string {
  let out = text
  for (const [pattern, digits] of phrases) out = out.replace(pattern, digits)
  out = out.replace(writtenNumber, (words) => String(readNumber(words)))
  out = out.replace(/\b(\d+)(?:st|nd|rd|th)\b/gu, '$1')
  return out.replace(
    /\b(\d+(?:\.\d+)?)[ -]?(k|hundred|thousand|million|billion)\b/gu,
    (_, digits: string, word: string) => String(Number(digits) * (word === 'k' ? 1000 : (large.get(word) ?? 1))),
  )
}

/** `one hundred and twenty` is 120; `three five`, which is two numbers, becomes `3 5`. */
function readNumber(words: string): string {
  const numbers: number[] = []
  let total = 0
  let last = Infinity
  for (const word of words.split(/[ -]/u)) {
    const factor = large.get(word)
    const value = small.get(word)
    if (factor !== undefined) {
      total = (total === 0 ? 1 : total) * factor
      last = factor
    } else if (value !== undefined) {
      if (last !== Infinity && value >= last) {
        numbers.push(total)
        total = 0
      }
      total += value
      last = value < 20 ? 0 : 10
    }
  }
  return [...numbers, total].join(' ')
}
