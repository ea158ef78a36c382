import { Untrusted } from '../../contract/base/text.ts'
import { compareClaim, type ClaimFinding } from '../../lib/frames/claimed-code.ts'
import { isGeneratedCode } from '../../lib/frames/generated-code.ts'

/** The members of a frame that hold its line and its code. */
export interface ClaimingFrame {
  lineno?: number | undefined
  context_line?: Untrusted<string> | undefined
  pre_context?: readonly Untrusted<string>[] | undefined
  post_context?: readonly Untrusted<string>[] | undefined
}

/** Where the code of a frame is in the lines of a file; undefined when that cannot be told. Reveals none of it. */
export function findFrameCode(lines: readonly string[], frame: ClaimingFrame): ClaimFinding | undefined {
  const { lineno: line = 0, context_line: text, pre_context: before = [], post_context: after = [] } = frame
  if (text === undefined) return undefined
  const around = [...before, ...after].map((other) => Untrusted.open(other))
  return compareClaim(lines, { line, text: Untrusted.open(text), around })
}

/** Whether a frame's file is code that was made while the program ran. */
export function isGenerated(filename: Untrusted<string> | undefined): boolean {
  return filename !== undefined && isGeneratedCode(Untrusted.open(filename))
}
