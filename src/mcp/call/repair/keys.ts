import { words } from '../../define/parameters.ts'
import { folded, type Parameter, type Plan } from './plan.ts'

/** The parameter that a key means: by its name, or by another word for it. */
export function findParameter(plan: Plan, key: string): Parameter | undefined {
  return plan.parameters.get(key) ?? plan.byWord.get(folded(key))
}

/** Longer keys are not typing mistakes. */
const KEY_CHARACTERS = 40

/** The parameter whose name is closest to an unknown key; undefined if none is close. */
export function nearest(plan: Plan, key: string): string | undefined {
  const word = folded(key)
  if (word.length < 3 || word.length > KEY_CHARACTERS) return undefined
  const parts = new Set(key.toLowerCase().split(/[\s_.-]+/))
  const ranked = [...plan.byWord]
    .map(([known, { name }]) => ({ name, far: parts.has(name) || known.startsWith(word) ? 1 : distance(word, known) }))
    .filter(({ far }) => far <= (word.length < 6 ? 1 : 2))
    .sort((one, other) => one.far - other.far)
  return ranked[0]?.name
}

const wrappers: readonly string[] = ['arguments', 'input']
/** Keys that determine the subject of a call, even if no parameter accepts them. */
const meaningful: ReadonlySet<string> = new Set(['id', 'ids', 'key', ...wrappers])
const productWords: ReadonlySet<string> = new Set(
  ['product', ...(words.get('product')?.also ?? [])].flatMap((word) =>
    ['', 's', 'id', 'ids', 'key', 'name'].map((end) => word + end),
  ),
)

/** Whether a read may ignore the key. It may not if the key determines the subject of the call. */
export function ignorable(key: string): boolean {
  return !meaningful.has(folded(key))
}

const pageWords: ReadonlySet<string> = new Set(['page', 'pageno', 'pagenumber', 'offset', 'skip', 'startat'])

/** Whether the key asks for a page by its number. */
export function asksForPage(key: string): boolean {
  return pageWords.has(folded(key))
}

/** Whether the key names a product, in any spelling. */
export function namesProduct(key: string): boolean {
  return productWords.has(folded(key))
}

/** Damerau-Levenshtein distance: letters to insert, delete, replace or swap with their neighbour. */
function distance(one: string, other: string): number {
  let older: number[] = []
  let old = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (old[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (old[j - 1] ?? 0) + cost,
        swapped ? (older[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    older = old
    old = row
  }
  return old[other.length] ?? Infinity
}

/** The object inside `{"arguments": {…}}` or `{"input": {…}}`, if the tool has no such parameter. */
export function wrapped(plan: Plan, given: Record<string, unknown>): { key: string; inner: unknown } | undefined {
  const [first, ...others] = Object.entries(given)
  if (first === undefined || others.length > 0) return undefined
  const [key, inner] = first
  return wrappers.includes(key) && !plan.parameters.has(key) ? { key, inner } : undefined
}
