import type { NormalException } from './event.ts'

type Linked = Pick<NormalException, 'mechanism'>

/**
 * Whether an exception was suppressed: it was thrown while another one was propagating, such as by `close()`. Java's SDK
 * lists it among the causes, with a lower id than theirs.
 */
export function isSuppressed({ mechanism }: Linked): boolean {
  return mechanism.type === 'suppressed'
}

/** The exceptions that led to the reported one, in the order sent: without suppressed ones and what caused those. */
export function withoutSuppressed<E extends Linked>(exceptions: readonly E[]): E[] {
  const left = new Set<number | null>()
  // The SDK lists causes before what they caused.
  const kept = exceptions.toReversed().filter((exception) => {
    const { exception_id: id, parent_id: parent } = exception.mechanism
    const isBeside = isSuppressed(exception) || (parent !== null && left.has(parent))
    if (isBeside && id !== null) left.add(id)
    return !isBeside
  })
  return kept.toReversed()
}
