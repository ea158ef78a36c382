/** An event, an exception or a frame as an SDK sends it. */
export type Sent = Record<string, unknown>

/** Two events, and whether Sentry makes them one issue. */
export interface Pair {
  /** The rule that decides, in the words of this test. */
  rule: string
  same: boolean
  first: Sent
  second: Sent
}

/** One rule for two events. */
export function pair(rule: string, same: boolean, first: Sent, second: Sent): Pair {
  return { rule, same, first, second }
}

/** An event with one exception. */
export function crash(platform: string, frames: readonly Sent[], exception: Sent = {}, members: Sent = {}): Sent {
  return chain(platform, [thrown(frames, exception)], members)
}

/** An event with several exceptions, the cause first. */
export function chain(platform: string, values: readonly Sent[], members: Sent = {}): Sent {
  return { platform, exception: { values }, ...members }
}

export function thrown(frames: readonly Sent[], members: Sent = {}): Sent {
  const stacktrace = frames.length === 0 ? {} : { stacktrace: { frames } }
  return { type: 'Error', value: 'it broke', ...stacktrace, ...members }
}

/** A frame of the team: `pay@cart.py`. */
export function own(text: string, members: Sent = {}): Sent {
  const [name, file] = text.split('@')
  return {
    ...(name ? { function: name } : {}),
    ...(file ? { filename: file, abs_path: file } : {}),
    lineno: 7,
    in_app: true,
    ...members,
  }
}

/** A frame of somebody else. */
export function system(text: string, members: Sent = {}): Sent {
  return own(text, { in_app: false, ...members })
}

/** Two crashes that differ in their only frame. */
export function framePair(rule: string, same: boolean, platform: string, first: Sent, second: Sent): Pair {
  return pair(rule, same, crash(platform, [first]), crash(platform, [second]))
}

/** Two crashes that differ in the name of their only function. */
export function functionPair(rule: string, same: boolean, platform: string, first: string, second: string): Pair {
  const frame = (name: string) => ({ function: name, lineno: 7, in_app: true })
  return framePair(rule, same, platform, frame(first), frame(second))
}

/** Two events with nothing but a message. */
export function messagePair(rule: string, same: boolean, first: string, second: string): Pair {
  return pair(rule, same, { message: first }, { message: second })
}
