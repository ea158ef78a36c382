import { ShopError } from '../support/errors.ts'

/** A line of the nightly price list cannot be read. */
export class PriceListError extends ShopError {
  override readonly name = 'PriceListError'
}

export interface PriceChange {
  sku: string
  amount: number
}

/** Read the nightly price list: `sku,amount` per line, amounts in cents, first line is the heading. */
export function readPriceList(text: string): PriceChange[] {
  const [, ...rows] = text.trim().split('\n')
  return rows.map((row, index) => readRow(row, index + 2))
}

function readRow(row: string, line: number): PriceChange {
  const [sku = '', amount = ''] = row.split(',', 2)
  if (!/^\d+$/.test(amount)) throw new PriceListError(`line ${line}: "${amount}" is not an amount in cents`)
  return { sku, amount: Number(amount) }
}
