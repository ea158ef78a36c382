import { cutWithEllipsis, onOneLine, replaceControls } from '../../../lib/text.ts'
import type { NormalEvent, NormalException, NormalFrame } from '../event/event.ts'
import { exceptionType } from './exceptions.ts'
import { functionName } from './functions.ts'
import { isApp } from './frames.ts'
import { isUrl } from './paths.ts'
import { isNative } from '../../shared/code-paths.ts'
import { frameFamily, type Family } from './platform.ts'

const LONGEST_TITLE = 250
const LONGEST_CULPRIT = 250

/** An issue's title and location. */
interface Name {
  title: string
  type: string
  value: string
  culprit: string
}

/** Names an event after its main exception, else its message; `stacks` are searched for the culprit in their order. */
export function nameEvent(
  event: NormalEvent,
  main: NormalException | undefined,
  stacks: readonly (readonly NormalFrame[])[],
  family: Family,
): Name {
  const type = main === undefined ? '' : exceptionType(main)
  const message = event.message.trim() === '' ? event.message_template : event.message
  const value = main !== undefined && (type !== '' || message === '') ? main.value : message
  return {
    title: formatTitle(type, oneLine(value)) || fallbackTitle(event),
    type,
    value,
    culprit: findCulprit(event, stacks, family),
  }
}

function formatTitle(type: string, value: string): string {
  if (type === '') return cutWithEllipsis(value, LONGEST_TITLE)
  return cutWithEllipsis(value === '' ? oneLine(type) : `${oneLine(type)}: ${value}`, LONGEST_TITLE)
}

function fallbackTitle(event: NormalEvent): string {
  const origin = oneLine(event.logger || event.platform)
  return cutWithEllipsis(`${event.level} without message${origin === '' ? '' : ` (${origin})`}`, LONGEST_TITLE)
}

/**
 * `function (file)` of the team's frame nearest to the crash, else of the nearest frame that is not engine code
 * (`JSON.parse` has no location), else the transaction.
 */
function findCulprit(event: NormalEvent, stacks: readonly (readonly NormalFrame[])[], family: Family): string {
  const frame =
    first(stacks, (frames) => frames.findLast((candidate) => isApp(candidate, family))) ??
    first(stacks, (frames) => frames.findLast(({ filename, abs_path }) => ![filename, abs_path].some(isNative)))
  return cutWithEllipsis(
    oneLine(frame === undefined ? '' : describeFrame(frame, family)) || oneLine(event.transaction),
    LONGEST_CULPRIT,
  )
}

/** `pay (src/payment/gateway.ts)`, or the half that is known; `shop+0x2a40` in native code without symbols. */
export function describeFrame(frame: NormalFrame, family: Family): string {
  const name = functionName(frame.function, frameFamily(frame, family))
  const file = filePart(frame)
  if (name === '') return file || describeAddress(frame.signs)
  return file === '' ? name : `${name} (${file})`
}

/** The binary of a native frame and the address in it, as far as they are known. */
export function describeAddress(signs: NormalFrame['signs']): string {
  const binary = signs?.package?.split(/[/\\]/).at(-1) ?? ''
  const offset = signs?.address?.split(' ').at(-1)
  return binary === '' || offset === undefined ? binary : `${binary}+0x${offset}`
}

function filePart(frame: NormalFrame): string {
  const file = frame.filename || frame.module || frame.abs_path
  return isUrl(file) ? file.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '') : file
}

function first<T>(
  stacks: readonly (readonly NormalFrame[])[],
  find: (frames: readonly NormalFrame[]) => T | undefined,
): T | undefined {
  for (const frames of stacks) {
    const found = find(frames)
    if (found !== undefined) return found
  }
  return undefined
}

function oneLine(text: string): string {
  return onOneLine(replaceControls(text.slice(0, 2000), ' '))
}
