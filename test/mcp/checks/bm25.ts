/** BM25 over the words of short texts, as tool search in hosts ranks: best first. */
export function bm25(documents: readonly { name: string; text: string }[]): (query: string) => string[] {
  const [k1, b] = [1.2, 0.75]
  const bags = documents.map(({ name, text }) => ({ name, words: splitWords(text) }))
  const average = bags.reduce((sum, { words }) => sum + words.length, 0) / bags.length
  const holding = new Map<string, number>()
  for (const { words } of bags) for (const word of new Set(words)) holding.set(word, (holding.get(word) ?? 0) + 1)

  function score(words: readonly string[], asked: readonly string[]): number {
    return asked.reduce((sum, word) => {
      const times = words.filter((other) => other === word).length
      const rare = holding.get(word) ?? 0
      const weight = Math.log(1 + (bags.length - rare + 0.5) / (rare + 0.5))
      return sum + (weight * times * (k1 + 1)) / (times + k1 * (1 - b + (b * words.length) / average))
    }, 0)
  }

  return (query) => {
    const asked = splitWords(query)
    return bags
      .map(({ name, words }) => ({ name, score: score(words, asked) }))
      .filter((hit) => hit.score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ name }) => name)
  }
}

const SILENT = new Set(
  'a an and are as at be by can do did does for from has have how i if in is it its me my of on or our that the their them there these this to us was we were what when where which who why will with you your'.split(
    ' ',
  ),
)

/** Words without endings that only mark number or tense. */
function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !SILENT.has(word))
    .map((word) => word.replace(/ies$/, 'y').replace(/(?:es|ed|ing|(?<=[^s])s|e)$/, ''))
}
