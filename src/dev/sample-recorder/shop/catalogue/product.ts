import type { Currency, Money } from '../pricing/money.ts'

/** One article of the shop. */
export interface Product {
  sku: string
  name: string
  category: Category
  prices: Record<Currency, Money>
  cover: { url: string; alt: string }
  weightGrams: number
}

export type Category = 'tea' | 'coffee' | 'pottery' | 'books'
