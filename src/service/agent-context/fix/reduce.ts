import { jsonBytes } from '../../../lib/bytes.ts'
import { findRepeated, frameRank } from '../../errors/issues/read/cut-frames.ts'
import type { FixContextBody, FrameBody } from './bodies.ts'
import { MOST_BYTES, steps, usualLimits, type Limits } from './limits.ts'
import { createTruncationNotes, type NoteTruncation } from '../../shared/truncation-notes.ts'
import { reduceEvent } from './reduce-event.ts'
import { fewer, shortTexts } from './shorten.ts'

/**
 * Cuts the context to at most `maxFrames` frames and 60 KB, by as many `steps` of limits.ts as needed, and adds what
 * was cut to its `truncation_signals`. `whole.frames` holds all frames, in reading order.
 */
export function fit(whole: FixContextBody, maxFrames: number): FixContextBody {
  let limits: Limits = { ...usualLimits, frames: maxFrames }
  let reduced = reduce(whole, limits, maxFrames)
  for (const step of steps) {
    if (jsonBytes({ fix_context: reduced }) <= MOST_BYTES) break
    limits = { ...limits, ...step, frames: Math.min(limits.frames, step.frames ?? Infinity) }
    reduced = reduce(whole, limits, maxFrames)
  }
  return reduced
}

function reduce(whole: FixContextBody, limits: Limits, maxFrames: number): FixContextBody {
  const { noteCut: note, list } = createTruncationNotes()
  const { frames: allFrames, event, reproduction, truncation_signals: signals, ...rest } = whole
  const frames = reduceFrames(allFrames, limits, { note, reason: limits.frames < maxFrames ? 'size' : 'max_frames' })
  const { tags, ...request } = reproduction
  return {
    ...reduceRest(rest, limits, note),
    event: event === null ? null : reduceEvent(event, limits, note),
    frames,
    // The keys of tags come from the event, and keys and values are short already.
    reproduction: { ...shortTexts(request, limits.eventTextBytes, 'reproduction', note), tags },
    truncation_signals: [...signals, ...list()],
  }
}

type OtherMembers = Omit<FixContextBody, 'frames' | 'event' | 'reproduction' | 'truncation_signals'>

/** Reduces the texts by members and the data of the service. */
function reduceRest(rest: OtherMembers, limits: Limits, note: NoteTruncation): OtherMembers {
  const few = <T>(member: string, list: readonly T[], max: number) => fewer(list, max, { member, note })
  const { issue, component } = rest
  const { grouping } = issue
  const globs = limits.componentEntries
  const reduced: OtherMembers = {
    ...rest,
    issue: {
      ...issue,
      // The only text of the issue that can be as long as those of the event.
      value: shortTexts(issue.value, Math.min(limits.eventTextBytes, limits.textBytes), 'issue.value', note),
      grouping: {
        ...grouping,
        explanation: few('issue.grouping.explanation', grouping.explanation, limits.explanation),
      },
    },
    files: few('files', rest.files, limits.files).map((file) => ({
      ...file,
      lines: few('files.lines', file.lines, limits.fileLines),
      frame_indexes: few('files.frame_indexes', file.frame_indexes, limits.fileLines),
      requirement_ids: few('files.requirement_ids', file.requirement_ids, limits.fileLines),
    })),
    environments: few('environments', rest.environments, limits.environments).map((environment) => ({
      ...environment,
      releases: few('environments.releases', environment.releases, limits.environmentReleases),
    })),
    component: component && {
      ...component,
      path_globs: few('component.path_globs', component.path_globs, globs),
      exclude_globs: few('component.exclude_globs', component.exclude_globs, globs),
      owners: few('component.owners', component.owners, globs),
      tags: few('component.tags', component.tags, globs),
    },
    requirements: few('requirements', rest.requirements, limits.requirements).map((requirement) => ({
      ...requirement,
      matched_by: few('requirements.matched_by', requirement.matched_by, limits.requirementParts),
      tests: few('requirements.tests', requirement.tests, limits.requirementParts),
    })),
  }
  if (limits.textBytes === Infinity) return reduced
  const members = Object.entries(reduced).map(([name, value]) => [
    name,
    shortTexts(value, limits.textBytes, name, note),
  ])
  // The members of `reduced`, each with the same type.
  return Object.fromEntries(members) as OtherMembers
}

function reduceFrames(
  all: readonly FrameBody[],
  { frames: max, contextLines, libraryContextLines, frameTextBytes }: Limits,
  { note, reason }: { note: NoteTruncation; reason: string },
): FrameBody[] {
  const kept = nearestFrames(all, max)
  note('frames', reason, kept.length, all.length)
  const reduced = kept.map((frame) => {
    const lines = frame.in_app ? contextLines : Math.min(contextLines, libraryContextLines)
    const before = fewer(frame.pre_context, lines, { member: 'frames.pre_context', note, newest: true })
    const after = fewer(frame.post_context, lines, { member: 'frames.post_context', note })
    note('frames.vars', 'cleared', 0, Object.keys(frame.vars).length)
    return { ...frame, pre_context: before, post_context: after, vars: {} }
  })
  return frameTextBytes === Infinity ? reduced : shortTexts(reduced, frameTextBytes, 'frames', note)
}

/**
 * Keeps at most `max` frames, in their order: in-app frames before others, those that a recursion repeats last, and in each
 * stack those nearest to its end.
 */
function nearestFrames(frames: readonly FrameBody[], max: number): FrameBody[] {
  if (frames.length <= max) return [...frames]
  const distances = crashDistances(frames)
  const stacks = Map.groupBy(frames, ({ exception_index: stack }) => stack)
  const repeated = new Set([...stacks.values()].flatMap((stack) => [...findRepeated(stack)]))
  const ranked = frames.map((frame, index) => {
    return { frame, index, rank: frameRank(frame, repeated), distance: distances[index] ?? 0 }
  })
  return ranked
    .toSorted((left, right) => left.rank - right.rank || left.distance - right.distance || right.index - left.index)
    .slice(0, max)
    .toSorted((left, right) => left.index - right.index)
    .map(({ frame }) => frame)
}

/** For each frame, the number of frames that follow it in its stack. */
function crashDistances(frames: readonly FrameBody[]): number[] {
  const distances: number[] = []
  for (const [index, frame] of [...frames.entries()].toReversed()) {
    const next = frames[index + 1]
    const isLast = next === undefined || next.exception_index !== frame.exception_index || next.index <= frame.index
    distances[index] = isLast ? 0 : (distances[index + 1] ?? 0) + 1
  }
  return distances
}
