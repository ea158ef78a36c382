/**
 * Called for each segment of a `mappings` text. All numbers are 0-based; `source` is −1 when the segment has none (then
 * `line` and `column` are 0), and so is `name`.
 */
export type VisitMapping = (
  generatedLine: number,
  generatedColumn: number,
  source: number,
  line: number,
  column: number,
  name: number,
) => void
