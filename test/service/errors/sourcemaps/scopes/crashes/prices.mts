const table = new Map<string, () => number>([
  ['tea', () => 4],
  ['mug', () => 9],
  [
    'gift',
    () => {
      throw new Error('a gift has no price')
    },
  ],
])

export function priceOf(sku: string): number {
  const price = table.get(sku)
  if (price === undefined) throw new Error(`no price of ${sku}`)
  return price()
}

export const withTax = (rate: number) => (price: number) => {
  if (price < 0) throw new RangeError('a negative price')
  return price * (1 + rate)
}

export const round = function roundCents(price: number): number {
  if (!Number.isFinite(price)) throw new RangeError('no finite price')
  return Math.round(price * 100) / 100
}

export const cheapest = (skus: string[]): string => {
  const compare = (a: string, b: string): number => priceOf(a) - priceOf(b)
  return skus.toSorted(compare)[0] ?? ''
}

export default function (skus: string[]): number[] {
  return skus.map((sku) => round(priceOf(sku)))
}
