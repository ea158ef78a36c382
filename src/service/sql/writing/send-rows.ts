import type { Bindable, Prepare, Statement } from '../database.ts'

/** How many rows one statement writes; the largest that fits is taken, so that few texts are prepared. */
const SIZES = [64, 16, 4, 1]

interface Insertion {
  /** `INSERT INTO activity (subject_id, bucket, count)`. */
  insert: string
  /** What follows the rows: `ON CONFLICT …`. No two rows may conflict with each other. */
  after: string
}

type Row = readonly Bindable[]

/** Sends an insertion of many rows, each with the same number of values. */
export async function sendRows(prepare: Prepare, insertion: Insertion, rows: readonly Row[]): Promise<void> {
  for (const { statement, values } of statements(prepare, insertion, rows)) await statement.send(...values)
}

/** Inserts the rows; resolves to the number of those that were inserted or changed. */
export async function insertRows(prepare: Prepare, insertion: Insertion, rows: readonly Row[]): Promise<number> {
  const running = [...statements(prepare, insertion, rows)].map(({ statement, values }) => statement.run(...values))
  const done = await Promise.all(running)
  return done.reduce((sum, { changes }) => sum + changes, 0)
}

/** Inserts the rows; resolves to what `RETURNING` gives of those that were inserted or changed. */
export async function returnRows<T>(prepare: Prepare, insertion: Insertion, rows: readonly Row[]): Promise<T[]> {
  const running = [...statements(prepare, insertion, rows)].map(({ statement, values }) => statement.all<T>(...values))
  return (await Promise.all(running)).flat()
}

function* statements(
  prepare: Prepare,
  { insert, after }: Insertion,
  rows: readonly Row[],
): Generator<{ statement: Statement; values: Bindable[] }> {
  for (const some of inSizes(rows)) {
    const values = some.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')
    yield { statement: prepare(`${insert} VALUES ${values} ${after}`), values: some.flat() }
  }
}

/** The rows in their order, as many together as one statement writes. */
export function* inSizes<T>(rows: readonly T[]): Generator<readonly T[]> {
  let done = 0
  while (done < rows.length) {
    const size = SIZES.find((each) => each <= rows.length - done) ?? 1
    yield rows.slice(done, done + size)
    done += size
  }
}
