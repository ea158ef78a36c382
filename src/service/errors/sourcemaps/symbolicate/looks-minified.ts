import type { NormalFrame } from '../../event/event.ts'
import { withoutHashes } from '../../grouping/paths.ts'
import { scriptName } from './frame-file.ts'

/** Beyond this column only generated code has statements. */
const GENERATED_COLUMN = 250
/** Sources rarely have code there in their first lines; a minified file has all of its code there. */
const GENERATED_COLUMN_AT_TOP = 120
const TOP_LINES = 10
/** A source line longer than this is generated code (normalised context lines are cut well above it). */
const GENERATED_LINE = 300

/** Whether a frame shows signs of a bundler, so that a source map could map it back. */
export function looksMinified(frame: NormalFrame): boolean {
  const name = scriptName(frame)
  if (name === undefined) return false
  const { lineno, colno } = frame
  return (
    frame.debug_id !== '' ||
    colno > (lineno <= TOP_LINES ? GENERATED_COLUMN_AT_TOP : GENERATED_COLUMN) ||
    frame.context_line.length > GENERATED_LINE ||
    /[.-]min\.\w+$|\.(?:js)?bundle$/i.test(name) ||
    withoutHashes(name) !== name
  )
}
