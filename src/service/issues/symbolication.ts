import type { z } from 'zod'
import type { Event } from '../../contract/events.ts'
import type { NormalEvent, NormalFrame } from '../ingest/event.ts'

export type Symbolication = z.input<typeof Event>['symbolication']

/** Beyond this column only generated code has statements. */
const GENERATED_COLUMN = 500
/** A source line longer than this is generated code (normalised context lines are cut well above it). */
const GENERATED_LINE = 300

/**
 * What became of the event's frames: MISSING with one problem per frame of minified JavaScript that no source map
 * resolved, else NOT_NEEDED. `frame_index` is the frame's index in its own stack.
 */
export function symbolicationOf(event: Pick<NormalEvent, 'exceptions' | 'threads'>): Symbolication {
  const frames = [...event.exceptions, ...event.threads].flatMap((stack) => stack.frames)
  const minified = frames.filter(looksMinified)
  const problems = minified.map((frame) => ({
    frame_index: frame.index,
    abs_path: frame.abs_path,
    debug_id: frame.debug_id,
    reason:
      frame.debug_id === ''
        ? 'no source map was uploaded for this file'
        : 'no source map was uploaded with this debug id',
  }))
  const state = problems.length > 0 ? 'SYMBOLICATION_STATE_MISSING' : 'SYMBOLICATION_STATE_NOT_NEEDED'
  return {
    state,
    frames_total: frames.length,
    frames_mapped: frames.filter((frame) => frame.symbolicated).length,
    problems,
  }
}

/** Generated JavaScript that a source map would turn back: a `.js` file with a sign of a bundler. */
function looksMinified(frame: NormalFrame): boolean {
  if (frame.symbolicated || frame.lineno <= 0 || frame.colno <= 0) return false
  const path = (frame.abs_path === '' ? frame.filename : frame.abs_path).replace(/[?#].*$/s, '')
  if (!/\.(?:js|mjs|cjs)$/i.test(path)) return false
  return (
    frame.debug_id !== '' ||
    /[.-]min\.\w+$/i.test(path) ||
    frame.colno > GENERATED_COLUMN ||
    frame.context_line.length > GENERATED_LINE ||
    hasContentHash(path)
  )
}

/** `main.4f3a2b1c.js`, `chunk-ABCD1234.js`: eight or more letters and digits, both present, before the extension. */
function hasContentHash(path: string): boolean {
  const hash = /[.-]([0-9A-Za-z_]{8,})\.\w+$/.exec(path)?.[1] ?? ''
  return /\d/.test(hash) && /[A-Za-z]/.test(hash)
}
