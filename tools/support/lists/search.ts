import { randomUUID } from 'node:crypto'
import { counted } from '../../../src/lib/counted.ts'

interface Search<Row> {
  /** Whether what is known of the row holds the text. */
  holds: (row: Row, text: string) => boolean
  /** The first page of the same list with another text. */
  search: (text: string) => Promise<readonly unknown[]>
}

interface Matching<Row> {
  rows: readonly Row[]
  /** What to say of a deployment that answers without searching. */
  unsearched: string | undefined
}

/**
 * The rows that a list with a search text gave. A deployment that does not know the search answers with all rows: when a
 * row does not show the text itself, a text that nobody wrote must find nothing; else only the rows that show it are kept.
 */
export async function matchingRows<Row>(
  found: readonly Row[],
  text: string | undefined,
  { holds, search }: Search<Row>,
): Promise<Matching<Row>> {
  if (text === undefined) return { rows: found, unsearched: undefined }
  const rows = found.filter((row) => holds(row, text))
  if (rows.length === found.length) return { rows: found, unsearched: undefined }
  if ((await search(randomUUID())).length === 0) return { rows: found, unsearched: undefined }
  return {
    rows,
    unsearched:
      `This deployment does not search: of the ${counted(found.length, 'row')} of this page, ` +
      `${rows.length === 0 ? 'none shows' : `${String(rows.length)} show${rows.length === 1 ? 's' : ''}`} the text.`,
  }
}
