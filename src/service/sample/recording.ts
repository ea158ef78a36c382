import { readFile } from 'node:fs/promises'
import * as z from 'zod'

/** Placeholder for the DSN key in recordings; the loader replaces it by the product's key. */
export const placeholderKey = '0'.repeat(32)
/** The product id in the recorded paths. */
export const placeholderProduct = '1'

/** The file of the recorded requests. */
export const recordingUrl = new URL('./recordings/events.jsonl', import.meta.url)

const RecordedRequest = z.strictObject({
  /** Time before the newest one. */
  offset_ms: z.number().max(0),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The envelope. */
  body: z.string(),
  /** Texts of the envelope that differ in its repetitions … */
  vary: z.array(z.string()).optional(),
  /** … and for each repetition its time and the texts in their place. */
  repeat: z.array(z.tuple([z.number().max(0)], z.string())).optional(),
})
const RecordedResolve = z.strictObject({
  offset_ms: z.number().max(0),
  /** A person resolved the issue of the event with this id. */
  resolve: z.string(),
})
const Line = z.union([RecordedRequest, RecordedResolve])

export type RecordedRequest = z.infer<typeof RecordedRequest>
export type RecordedResolve = z.infer<typeof RecordedResolve>
export type RecordedLine = z.infer<typeof Line>

/** The recorded lines of the file, oldest first. */
export async function readRecording(file: URL = recordingUrl): Promise<RecordedLine[]> {
  const text = await readFile(file, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))
}

/** The lines with every repetition as a separate request, oldest first. */
export function unfold(lines: readonly RecordedLine[]): RecordedLine[] {
  const all = lines.flatMap((line): RecordedLine[] => ('body' in line ? unfoldRequest(line) : [line]))
  return all.toSorted((left, right) => left.offset_ms - right.offset_ms)
}

function unfoldRequest({ vary = [], repeat = [], ...first }: RecordedRequest): RecordedRequest[] {
  const repetitions = repeat.map(([offset_ms, ...values]) => ({
    ...first,
    offset_ms,
    body: vary.reduce((body, text, position) => body.replaceAll(text, values[position] ?? ''), first.body),
  }))
  return [first, ...repetitions]
}
