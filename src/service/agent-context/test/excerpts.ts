import type { Call } from '../../shared/context.ts'
import { latestOccurrence } from '../../errors/issues/read/occurrences.ts'
import { viewEvent, type EventBody } from '../../errors/issues/read/event-view.ts'
import type { Rows } from '../../sql/database.ts'
import type { StoredProduct } from '../../workspace/products.ts'

type FrameBody = EventBody['exceptions'][number]['frames'][number]

export interface IssueFrames {
  issueId: string
  /** The in-app frames of the newest occurrence, nearest to the crash first. */
  frames: FrameBody[]
}

const FRAMES = 30

/**
 * Reads the in-app frames of the newest occurrence of each issue, mapped to their sources; one event at a time, because each
 * may be large.
 */
export async function readCrashFrames(
  rows: Rows,
  product: StoredProduct,
  issues: readonly { id: string }[],
  symbolicator: Call['symbolicator'],
): Promise<IssueFrames[]> {
  const frames: IssueFrames[] = []
  for (const { id } of issues) frames.push(await readIssueFrames(rows, product, id, symbolicator))
  return frames
}

async function readIssueFrames(
  rows: Rows,
  product: StoredProduct,
  issueId: string,
  symbolicator: Call['symbolicator'],
): Promise<IssueFrames> {
  const occurrence = await latestOccurrence(rows, issueId, undefined)
  if (occurrence === undefined) return { issueId, frames: [] }
  const event = await viewEvent(rows, occurrence, { product, symbolicator, maxFrames: FRAMES, includeRaw: false })
  const frames = event.exceptions.toReversed().flatMap((exception) => exception.frames.toReversed())
  return { issueId, frames: frames.filter((frame) => frame.in_app) }
}

/** The source around a frame, with line numbers; '' when the event does not contain it. */
export function formatExcerpt({
  pre_context: before,
  context_line: line,
  post_context: after,
  lineno,
}: FrameBody): string {
  if (line === '') return ''
  const first = lineno - before.length
  return [...before, line, ...after].map((text, index) => `${String(first + index)}  ${text}`).join('\n')
}

/** `function (file:line)` of the frames nearest to the crash. */
export function topFrames(frames: readonly FrameBody[], max: number): string[] {
  return frames.slice(0, max).map(({ function: name, repo_path, filename, lineno }) => {
    return `${name || '?'} (${repo_path || filename}:${String(lineno)})`
  })
}
