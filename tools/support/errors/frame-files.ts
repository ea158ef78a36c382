import { counted } from '../../../src/lib/counted.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import { locateFiles, type LocatedFiles } from '../../../src/mcp/files/locate-files.ts'
import { framePath, threadStacks, unmappedFrames, type Event, type Frame } from './events.ts'

/** Looks for the files of an occurrence's in-app frames on this machine, those nearest to the crash first. */
export function locateFrames(event: Event | undefined, local: LocalFiles | undefined): Promise<LocatedFiles> {
  return locateFiles(local, framePaths(event))
}

/** Says how many of the files are named as on this machine; undefined when none is. */
export function framesNote(event: Event, { found, several, isComplete }: LocatedFiles): string | undefined {
  const paths = framePaths(event)
  if (found.size === 0 && several.size === 0 && isComplete) return undefined
  const frames = crashFirst(event)
  const whose = frames.some((frame) => frame.in_app === undefined) ? 'frames' : 'in-app frames'
  const parts = [
    `${found.size} of ${counted(paths.length, 'file')} of ${whose} found on this machine`,
    ...(several.size === 0 ? [] : [`${several.size} fit several files equally well`]),
    ...(isComplete ? [] : ['the folders are too large to search whole']),
  ]
  return parts.join('; ')
}

function framePaths(event: Event | undefined): string[] {
  if (event === undefined) return []
  const unmapped = unmappedFrames(event)
  return [...new Set(crashFirst(event).map((frame) => framePath(frame, unmapped)))].filter((path) => path !== '')
}

function crashFirst(event: Event): Frame[] {
  const thrown = (event.exceptions ?? []).toReversed().flatMap(({ frames = [] }) => frames.toReversed())
  return [...thrown, ...threadStacks(event).flatMap((frames) => frames.toReversed())]
}
