/** A text with its variable parts taken out: `GET /api/items/{} {}`, and what stood there. */
interface Template {
  tokens: (string | null)[]
  /** By text: the values of the variables, in their order. */
  texts: Map<string, string[]>
}

/** A text as its template says it. */
export interface Templated {
  /** The constant words, with `{}` for each variable. */
  template: string
  values: string[]
}

export type FindTemplate = (text: string) => Templated

/** Texts with the same number of words share a template when at least this fraction of the words is equal (Drain, He et al. 2017). */
const SHARED = 0.5
const MOST_WORDS = 40
const MOST_TEMPLATES = 400

/**
 * Finds the templates that texts were made from: `(text) => templated`. Texts share a template when their words without
 * digits and quotes are mostly equal; the words in which they differ are its variables. The first word is never one.
 * Linear in the number of texts, for a bounded number of templates.
 */
export function findTemplates(texts: Iterable<string>): FindTemplate {
  const byShape = new Map<string, Template[]>()
  const found = new Map<string, Template>()
  let templates = 0
  for (const text of new Set(texts)) {
    const words = splitWords(text)
    const shape = `${String(words.length)} ${words[0] ?? ''}`
    const siblings = byShape.get(shape) ?? []
    byShape.set(shape, siblings)
    const masked = words.map((word, index) => (index > 0 && isVariable(word) ? null : word))
    let template = siblings.find(({ tokens }) => isAlike(tokens, masked))
    if (template === undefined) {
      if (templates >= MOST_TEMPLATES) continue
      templates += 1
      template = { tokens: masked, texts: new Map() }
      siblings.push(template)
    } else template.tokens = template.tokens.map((token, index) => (token === masked[index] ? token : null))
    template.texts.set(text, words)
    found.set(text, template)
  }
  for (const template of new Set(found.values())) fillConstants(template)
  return (text) => {
    const template = found.get(text)
    if (template === undefined) return { template: text, values: [] }
    const words = template.texts.get(text) ?? []
    return {
      template: template.tokens.map((token) => token ?? '{}').join(''),
      values: words.filter((_, index) => template.tokens[index] === null),
    }
  }
}

/** A word that is the same in all texts is none of the variables. */
function fillConstants(template: Template): void {
  const all = [...template.texts.values()]
  template.tokens = template.tokens.map((token, index) => {
    const word = all[0]?.[index] ?? null
    return token ?? (all.every((words) => words[index] === word) ? word : null)
  })
}

/** Words and the separators between them. After `MOST_WORDS`, the rest of the text counts as one word. */
function splitWords(text: string): string[] {
  const words = text.match(/"[^"]*"|'[^']*'|[^\s"'=,;:/?&()[\]{}|]+|[\s"'=,;:/?&()[\]{}|]/g) ?? []
  return words.length <= MOST_WORDS ? words : [...words.slice(0, MOST_WORDS), words.slice(MOST_WORDS).join('')]
}

function isVariable(word: string): boolean {
  return /\d/.test(word) || /^["'].*["']$/.test(word)
}

function isAlike(tokens: readonly (string | null)[], masked: readonly (string | null)[]): boolean {
  let [words, shared] = [0, 0]
  for (const [index, token] of tokens.entries()) {
    const other = masked[index]
    const isSeparator = token?.length === 1 && !/\w/.test(token)
    // Texts that are cut up differently are different ones.
    if (isSeparator && token !== other) return false
    if (isSeparator || (token === null && other === null)) continue
    words += 1
    if (token === other) shared += 1
  }
  return words === 0 || shared / words >= SHARED
}
