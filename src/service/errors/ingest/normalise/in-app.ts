import type { NormalFrame } from '../../event/event.ts'
import { isMarkedByDefault, isRuntimeCode, type CodePlace } from './runtime-code.ts'

/** Decides which frames of one event are the team's own code (errors §2.2). */
export interface InApp {
  /** Takes a frame with what the SDK says about it; undefined: nothing. */
  add(frame: NormalFrame, said: boolean | undefined): void
  /** Decides the frames about which the SDK is silent; call it once, after the last frame. */
  settle(): void
}

/**
 * What the SDK says counts. A frame about which it is silent is not the team's when another one is said to be; when none
 * is, it is unless it is known to belong to a runtime or package. `language` is the event's.
 */
export function createInApp(language: string): InApp {
  const silent: NormalFrame[] = []
  let isSaid = false
  return {
    add(frame, said) {
      if (said === false) return
      if (said === undefined) {
        silent.push(frame)
        return
      }
      frame.in_app = !isMarkedByDefault(describe(frame, language))
      isSaid ||= frame.in_app
    },
    settle() {
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
