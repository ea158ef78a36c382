import type { NormalFrame } from '../../event/event.ts'
import { isMarkedByDefault, isRuntimeCode, type CodePlace } from './runtime-code.ts'

/** Decides which frames of one event are the team's own code (errors §2.2). */
export interface InApp {
  /** Takes a frame with what the SDK says about it; undefined: nothing. */
  add(frame: NormalFrame, said: boolean | undefined, platform: string): void
  /** Decides the frames about which the SDK is silent; call it once, after the last frame. */
  settle(): void
}

/**
 * What the SDK says counts. A frame about which it is silent is not the team's when another one is said to be; when none
 * is, it is unless it is known to belong to a runtime or package.
 */
export function createInApp(): InApp {
  const silent: { frame: NormalFrame; place: CodePlace }[] = []
  let isSaid = false
  return {
    add(frame, said, platform) {
      if (said === false) return
      const place = describe(frame, platform)
      if (said === undefined) {
        silent.push({ frame, place })
        return
      }
      frame.in_app = !isMarkedByDefault(place)
      isSaid ||= frame.in_app
    },
    settle() {
      if (!isSaid) for (const { frame, place } of silent) frame.in_app = !isRuntimeCode(place)
    },
  }
}

function describe(frame: NormalFrame, platform: string): CodePlace {
  const { filename, abs_path, module, function: name, signs } = frame
  return {
    platform: signs?.platform ?? platform,
    filename,
    abs_path,
    module,
    function: name,
    package: signs?.package ?? '',
  }
}
