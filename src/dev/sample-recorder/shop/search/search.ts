import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Product } from '../catalogue/product.ts'

export interface Hit {
  sku: string
  /** The name with the searched words in `<mark>`. */
  marked: string
}

/** Articles whose name or category has all words of the query, best first. */
export function search(catalogue: Catalogue, query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return catalogue
    .all()
    .filter((product) => words.every((word) => textOf(product).includes(word)))
    .toSorted((left, right) => rank(right, words) - rank(left, words))
    .map((product) => ({ sku: product.sku, marked: mark(product.name, words) }))
}

function textOf(product: Product): string {
  return `${product.name} ${product.category}`.toLowerCase()
}

/** A word at the start of the name counts more. */
function rank(product: Product, words: readonly string[]): number {
  return words.filter((word) => product.name.toLowerCase().startsWith(word)).length
}

function mark(name: string, words: readonly string[]): string {
  return words.reduce((text, word) => text.replace(new RegExp(word, 'gi'), '<mark>$&</mark>'), name)
}
