import { cut } from '../../../lib/text.ts'
import type { NormalEvent, NormalFrame } from '../event/event.ts'
import { functionName } from './functions.ts'
import type { Token } from './hash.ts'
import type { ReadText } from './parameterise.ts'
import { frameFamily, type Family } from './platform.ts'

/** How much the SDK's fingerprint decides: nothing, everything, or together with the default values. */
type FingerprintKind = 'default' | 'custom' | 'hybrid'

/** What a fingerprint is resolved with. */
interface FingerprintRules {
  family: Family
  readText: ReadText
}

/** Characters of an entry. */
export const LONGEST_ENTRY = 1_024

const VARIABLE = /^\{\{\s*(\S+?)\s*\}\}$/

/** The kind of a fingerprint; an empty one and a lone `{{ default }}` leave the decision to the service. */
export function fingerprintKind(fingerprint: readonly string[]): FingerprintKind {
  const entries = fingerprint.filter((entry) => entry.trim() !== '')
  if (entries.every(isDefault)) return 'default'
  return entries.some(isDefault) ? 'hybrid' : 'custom'
}

/**
 * The tokens of a fingerprint: `{{ default }}` is `defaults`, other variables are what Sentry makes of them (errors
 * §2.1). An entry that repeats the event's own message is parameterised, because the ids in it would make each event an
 * issue.
 */
export function fingerprintTokens(event: NormalEvent, defaults: readonly Token[], rules: FingerprintRules): Token[] {
  // An entry that repeats a longer text was cut.
  const messages = new Set(
    [event.message, ...event.exceptions.map(({ value }) => value)].map((text) => cut(text, LONGEST_ENTRY).trim()),
  )
  return event.fingerprint
    .filter((entry) => entry.trim() !== '')
    .flatMap((entry): readonly Token[] => {
      if (isDefault(entry)) return defaults
      const text = entry.trim()
      const name = variableName(text)
      if (name !== undefined) return [['fingerprint', resolve(event, name, rules)]]
      return [['fingerprint', messages.has(text) ? rules.readText(text) : text]]
    })
}

function isDefault(entry: string): boolean {
  return variableName(entry.trim()) === 'default'
}

function variableName(entry: string): string | undefined {
  return VARIABLE.exec(entry)?.[1]
}

/** The value of a variable, or what Sentry puts in place of one that is absent or unknown. */
function resolve(event: NormalEvent, name: string, { family, readText }: FingerprintRules): string {
  if (name.startsWith('tags.')) return tag(event, name.slice('tags.'.length))
  switch (name) {
    case 'message': {
      const message = canonicalMessage(event)
      return message === '' ? '<no-message>' : readText(message)
    }
    case 'raw_message':
      return canonicalMessage(event) || '<no-message>'
    case 'transaction':
      return event.transaction || '<no-transaction>'
    case 'level':
      return event.level
    case 'logger':
      return event.logger || '<no-logger>'
    case 'type':
    case 'error.type':
      return event.exceptions.at(-1)?.type || '<no-type>'
    case 'value':
    case 'raw_value':
    case 'error.value':
    case 'error.raw_value':
      return event.exceptions.at(-1)?.value || '<no-value>'
    default:
      return resolveFrame(crashFrame(event), name, family)
  }
}

function resolveFrame(frame: NormalFrame | undefined, name: string, family: Family): string {
  switch (name) {
    case 'function':
    case 'stack.function':
      return (frame && rawFunction(frame, frameFamily(frame, family))) || '<no-function>'
    case 'path':
    case 'stack.abs_path':
      return frame?.abs_path || frame?.filename || '<no-abs-path>'
    case 'stack.filename':
      return frame?.filename || frame?.abs_path || '<no-filename>'
    case 'module':
    case 'stack.module':
      return frame?.module || '<no-module>'
    case 'package':
    case 'stack.package':
      return frame?.signs?.package?.split(/[/\\]/).at(-1) || '<no-package>'
    default:
      return `<unrecognized-variable-${name}>`
  }
}

/** Names are trimmed for native code and C# only. */
function rawFunction({ function: name }: NormalFrame, family: Family): string {
  return family === 'native' || family === 'csharp' ? functionName(name, family) || name : name
}

/** The frame of the team nearest to the crash in the last exception or the only thread, else the nearest one. */
function crashFrame({ exceptions, threads }: NormalEvent): NormalFrame | undefined {
  const thrown = exceptions.at(-1)?.frames ?? []
  const frames = thrown.length > 0 || threads.length !== 1 ? thrown : threads[0]!.frames
  return frames.findLast(({ in_app }) => in_app) ?? frames.at(-1)
}

function canonicalMessage({ message, message_template, exceptions }: NormalEvent): string {
  return message || message_template || (exceptions.at(-1)?.value ?? '')
}

/** Some members of an event are tags as well. */
function tag(event: NormalEvent, key: string): string {
  const sent = event.tags.find((candidate) => candidate.key === key)?.value
  if (sent !== undefined) return sent
  const members = new Map([
    ['environment', event.environment],
    ['level', event.level],
    ['logger', event.logger],
    ['server_name', event.server_name],
    ['transaction', event.transaction],
  ])
  return members.get(key) || `<no-value-for-tag-${key}>`
}
