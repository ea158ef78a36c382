import { readIntent, type ReadOptions } from '../../../../src/service/intent/read/index.ts'
import type { Reading, SourceDocument } from '../../../../src/service/intent/types.ts'

export const options: ReadOptions = {
  minConfidence: 0.5,
  maxRequirements: 200,
  includeInformative: false,
  defaultPriority: undefined,
}

/** Reads one document with the default options. */
export function read(
  content: string,
  mediaType: SourceDocument['mediaType'] = 'text/markdown',
  changed: Partial<ReadOptions> = {},
): Promise<Reading> {
  const document = { name: 'request', content, uri: '', mediaType }
  return readIntent([document], { ...options, ...changed }, () => Promise.resolve())
}

/** What became of each line with text, as `line: use`, with the ordinal or the reason. */
export function uses({ lines }: Reading): string[] {
  return lines.flatMap(({ lineStart, lineEnd, use, ordinal, reason }) =>
    Array.from({ length: lineEnd - lineStart + 1 }, (_, index) =>
      `${String(lineStart + index)}: ${use} ${ordinal === 0 ? reason : String(ordinal)}`.trim(),
    ),
  )
}
