import type { VisitMapping } from './visit-mapping.ts'

/** Limit of segments that are sorted: up to here, a segment's column and index together fit into one exact number. */
const MOST_SEGMENTS = 2 ** 22
const FIELDS = 5

/** The segments of one generated line, stored flat until they are sorted. */
export interface UnorderedLine {
  readonly generatedLine: number
  /** False when the line is full. */
  add(generatedColumn: number, source: number, line: number, column: number, name: number): boolean
  fields(): Int32Array
}

/** An empty line, to which its segments are added as they are read. */
export function unordered(generatedLine: number): UnorderedLine {
  let values = new Int32Array(64 * FIELDS)
  let used = 0
  return {
    generatedLine,
    add(generatedColumn, source, line, column, name) {
      if (used === MOST_SEGMENTS * FIELDS) return false
      if (used === values.length) {
        const larger = new Int32Array(values.length * 2)
        larger.set(values)
        values = larger
      }
      values[used] = generatedColumn
      values[used + 1] = source
      values[used + 2] = line
      values[used + 3] = column
      values[used + 4] = name
      used += FIELDS
      return true
    },
    fields: () => values.subarray(0, used),
  }
}

/** Visits the segments by column; those of one column in the order in which they were added. */
export function visitInOrder(line: UnorderedLine, visit: VisitMapping): void {
  const fields = line.fields()
  const count = fields.length / FIELDS
  const order = new Float64Array(count)
  const at = (place: number) => fields[place] ?? 0
  for (let segment = 0; segment < count; segment++) order[segment] = at(segment * FIELDS) * count + segment
  for (const key of order.sort()) {
    const place = (key % count) * FIELDS
    visit(line.generatedLine, at(place), at(place + 1), at(place + 2), at(place + 3), at(place + 4))
  }
}
