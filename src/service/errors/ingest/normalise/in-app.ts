import type { NormalFrame } from '../../event/event.ts'
import { isMarkedByDefault, isRuntimeCode, type CodePlace } from './runtime-code.ts'

/** Decides which frames of one event are the team's own code (errors §2.2). */
export interface InApp {
  /** Takes a frame with what the SDK says about it; undefined: nothing. */
  add(frame: NormalFrame, said: boolean | undefined): void
  /** Decides all frames; call it once, after the last one. */
  settle(): void
}

/**
 * What the SDK says counts, unless it says it of every frame or is known to. A frame about which it is silent is not the
 * team's when another one is said to be; when none is, it is unless it is known to belong to a runtime or package.
 * `language` is the event's.
 */
export function createInApp(language: string): InApp {
  const silent: NormalFrame[] = []
  const marked: NormalFrame[] = []
  let isEach = true
  return {
    add(frame, said) {
      if (said === true) marked.push(frame)
      else isEach = false
      if (said === undefined) silent.push(frame)
    },
    settle() {
      for (const frame of marked) frame.in_app = !isMarkedByDefault(describe(frame, language), { isEach })
      const isSaid = marked.some((frame) => frame.in_app)
      if (!isSaid) for (const frame of silent) frame.in_app = !isRuntimeCode(describe(frame, language))
    },
  }
}

function describe(frame: NormalFrame, language: string): CodePlace {
  const { filename, abs_path, module, function: name, signs } = frame
  return {
    platform: signs?.platform ?? language,
    filename,
    abs_path,
    module,
    function: name,
    package: signs?.package ?? '',
  }
}
