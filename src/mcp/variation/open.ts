import { Untrusted } from '../../contract/base/text.ts'
import { redactData } from '../text/redact/index.ts'

/** A value with outsiders' texts opened. */
export type Opened<T> =
  T extends Untrusted<infer V>
    ? Opened<V>
    : T extends readonly (infer I)[]
      ? Opened<I>[]
      : T extends object
        ? { [K in keyof T]: Opened<T[K]> }
        : T

/**
 * A copy of an event with outsiders' texts as plain strings, to be compared with each other; values of secret names are
 * labels already. What is made of them is wrapped in `Untrusted` again before it leaves this folder.
 */
export function openEvent<T>(event: T): Opened<T> {
  return redactData(open(event), { text: (text) => text, count: () => undefined }) as Opened<T>
}

/** A text to be compared, as `openEvent` opens it; '' where there is none. */
export function openText(text: Untrusted<string> | string | undefined): string {
  return text instanceof Untrusted ? Untrusted.open(text) : (text ?? '')
}

/** Whether two values are written alike. */
export function isSameData(one: Untrusted<unknown> | undefined, other: Untrusted<unknown> | undefined): boolean {
  const [left, right] = [one, other].map((value) => (value === undefined ? undefined : Untrusted.open(value)))
  return JSON.stringify(left) === JSON.stringify(right)
}

function open(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Untrusted) return open(Untrusted.open(value as Untrusted<unknown>))
  if (Array.isArray(value)) return value.map(open)
  // A spread copies a member named __proto__ as a plain member, and takes half the time of Object.fromEntries.
  const opened: Record<string, unknown> = { ...value }
  for (const name in opened) opened[name] = open(opened[name])
  return opened
}
