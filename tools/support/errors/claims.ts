import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import type { LocatedFiles } from '../../../src/mcp/files/locate-files.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { findFrameCode } from '../../../src/mcp/text/claimed-code.ts'
import { hasText } from '../../../src/mcp/text/untrusted.ts'
import { framePath, unmappedFrames, type Event, type Frame } from './events.ts'

/** Files that are read, those nearest to the crash first. */
const FILES = 5
const FRAMES_PER_FILE = 3
const MOST_BYTES = 1_000_000

/**
 * How the code that frames bring differs from the files of this machine, by file: `14 is now line 31`. Files that hold it
 * where the frames say are missing, and files that cannot be read.
 */
export async function compareFrames(
  { frames = [], event }: { frames?: readonly Frame[] | undefined; event?: Event | null | undefined },
  here: LocatedFiles,
  local: LocalFiles | undefined,
): Promise<ReadonlyMap<string, string>> {
  const unmapped = unmappedFrames(event)
  const claiming = frames.toReversed().filter((frame) => hasText(frame.context_line))
  const byFile = Map.groupBy(claiming, (frame) => here.found.get(framePath(frame, unmapped))?.file)
  byFile.delete(undefined)
  const differing = new Map<string, string>()
  for (const [file = '', ofFile] of [...byFile].slice(0, FILES)) {
    const lines = await readLines(file, local)
    const words =
      lines === undefined ? [] : ofFile.slice(0, FRAMES_PER_FILE).flatMap((frame) => difference(lines, frame))
    if (words.length > 0) differing.set(file, [...new Set(words)].join('; '))
  }
  return differing
}

/** The lines of a file of this machine; undefined when it cannot be read. */
export async function readLines(file: string, local: LocalFiles | undefined): Promise<string[] | undefined> {
  try {
    const read = await local?.read(file, { maxBytes: MOST_BYTES })
    return read && new TextDecoder().decode(read.bytes).split(/\r?\n/)
  } catch (error) {
    if (error instanceof TeachingError) return undefined
    throw error
  }
}

/** A source map is the team's, so code that it gave and that is not in the file has changed. */
function difference(lines: readonly string[], frame: Frame): string[] {
  const found = findFrameCode(lines, frame)
  if (found === undefined || found.is === 'here') return []
  if (found.is === 'moved') return [`${frame.lineno} is now line ${found.line}`]
  const isChanged = found.is === 'changed' || frame.symbolicated === true
  return [isChanged ? `${frame.lineno} has changed` : `the event's code of line ${frame.lineno} is not in your file`]
}
