import { cutWithEllipsis } from '../../../lib/text.ts'
import type { NormalEvent } from '../event/event.ts'
import { withoutSuppressed } from '../event/suppressed.ts'
import { exceptionType } from '../grouping/exceptions.ts'

/** Enough to tell chains apart; a recursion may wrap an error many times. */
const MOST = 4
const LONGEST = 100

/**
 * The types of the exceptions that caused the reported one, its direct cause first, at most 4: several issues may have
 * the same title because each reports the failure of the same step. Equal neighbours count once.
 */
export function causeTypes({ exceptions }: Pick<NormalEvent, 'exceptions'>): string[] {
  const types = withoutSuppressed(exceptions)
    .slice(0, -1)
    .map((exception) => cutWithEllipsis(exceptionType(exception), LONGEST))
    .filter((type) => type !== '')
    .toReversed()
  return types.filter((type, index) => type !== types[index - 1]).slice(0, MOST)
}
