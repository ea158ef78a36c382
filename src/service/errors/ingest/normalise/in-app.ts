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
  const refused: NormalFrame[] = []
  return {
    add(frame, said) {
      const list = said === undefined ? silent : said ? marked : refused
      list.push(frame)
    },
    settle() {
      const habit = { isEach: silent.length + refused.length === 0, isSilent: silent.length > 0 }
      const own = marked.filter((frame) => !isMarkedByDefault(describe(frame, language), habit))
      // A program that `go install` built is a module with a version itself: then the marks are all that is known.
      for (const frame of own.length === 0 && language === 'go' ? marked : own) frame.in_app = true
      if (marked.some((frame) => frame.in_app)) return
      // Go's SDK compares paths with the folder of the toolchain, whose name a build with `-trimpath` leaves empty, as it
      // does the folders of all paths.
      const isTrimmed = language === 'go' && refused.every(({ abs_path: path }) => path === '')
      const open = isTrimmed ? [...silent, ...refused] : silent
      for (const frame of open) frame.in_app = !isRuntimeCode(describe(frame, language))
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
