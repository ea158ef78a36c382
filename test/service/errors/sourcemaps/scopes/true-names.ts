import { basename } from 'node:path'
import type { RawFrame } from './crashes/main.mts'

/** What the program prints at its end. */
export interface Run {
  crashes: Record<string, RawFrame[]>
  classes: Record<string, { parent: string; members: string[] }>
}

/** A frame as the original program has it; more than one name when a method is inherited. */
export interface TrueFrame {
  file: string
  line: number
  names: string[]
}

/** Receivers that V8 infers from the call and no source says. */
const INFERRED = new Set(['', 'Object', 'Array', 'Timeout', 'EventEmitter', 'Immediate'])

/**
 * The true frames of each crash by V8's own account of the original program. V8 prints the class of the receiver of a
 * call: a frame without one gets the class that another call of the same function shows.
 */
export function trueFrames(run: Run): Record<string, TrueFrame[]> {
  const types = Map.groupBy(
    Object.values(run.crashes).flatMap((frames) => frames.filter((frame) => !INFERRED.has(frame.type))),
    callKey,
  )
  return Object.fromEntries(
    Object.entries(run.crashes).map(([scenario, frames]) => [
      scenario,
      frames.map((frame) => ({
        file: basename(frame.file),
        line: frame.line,
        names: acceptedNames(frame, types.get(callKey(frame)) ?? [], run),
      })),
    ]),
  )
}

function callKey(frame: RawFrame): string {
  return `${frame.file}:${frame.line}:${frame.function}`
}

function acceptedNames(frame: RawFrame, typed: RawFrame[], { classes }: Run): string[] {
  const name = frame.function.replace(/^[gs]et /, '')
  if (frame.isConstructor) return [`new ${name}`]
  if (name === '') return ['']
  const owners = new Set<string>()
  for (const { type } of typed) {
    for (let owner = type; owner !== ''; owner = classes[owner]?.parent ?? '') {
      const members = classes[owner]?.members ?? [name]
      if (members.includes(name) || name.startsWith('<')) owners.add(owner)
    }
  }
  for (const { type } of typed) if (owners.size === 0) owners.add(type)
  if (owners.size === 0) return [name]
  return [...owners].map((owner) => (name.startsWith(`${owner}.`) ? name : `${owner}.${name}`))
}
