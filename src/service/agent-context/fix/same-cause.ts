import { messageToken } from '../../errors/grouping/parameterise.ts'
import { withoutSuppressed } from '../../errors/event/suppressed.ts'
import { createIssuePartsReader } from '../../errors/issues/bodies/parts.ts'
import type { EventSymbolicator, Symbolicable } from '../../shared/event-symbolicator.ts'
import type { Rows } from '../../sql/database.ts'
import type { RelatedBody } from './bodies.ts'

/** A larger event is not read to be compared. */
const MOST_BYTES = 200_000
/** Frames of the root cause that are looked through for one of the team. */
const MOST_FRAMES = 250

/** Where an error began: the exception that no other one caused, and the frame of the team's code nearest to it. */
export interface RootError {
  type: string
  /** Its message without what changes from event to event. */
  value: string
  /** File and function; undefined without a frame of the team's code. */
  place: string | undefined
}

/** The root error of an event with source maps applied; undefined when it has no exception. */
export function rootError({ exceptions }: Pick<Symbolicable, 'exceptions'>): RootError | undefined {
  const [root] = withoutSuppressed(exceptions)
  if (root === undefined) return undefined
  const own = root.frames.slice(-MOST_FRAMES).findLast(({ in_app: isOwn }) => isOwn)
  const file = own?.filename === '' ? own.abs_path : own?.filename
  return {
    type: root.type,
    value: messageToken(root.value),
    place: own === undefined ? undefined : `${file ?? ''}\n${own.function}`,
  }
}

/** The root error of the newest occurrence of an issue, with the source maps of today. */
export async function newestRootError(
  rows: Rows,
  symbolicator: EventSymbolicator,
  { id, product_id: productId }: { id: string; product_id: number },
): Promise<RootError | undefined> {
  const newest = await rows
    .selectFrom('occurrence')
    .select(['id', 'body', 'dictionary_id', 'size_bytes'])
    .where('issue_id', '=', id)
    .where('body', 'is not', null)
    .orderBy('timestamp', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined || newest.body === null || newest.size_bytes > MOST_BYTES) return undefined
  const parts = await createIssuePartsReader(rows, id)({ ...newest, body: newest.body })
  if (parts === undefined) return undefined
  const { event } = await symbolicator.symbolicate(productId, parts.stacks)
  return rootError(event)
}

/**
 * Why two issues that share code have the same cause: their root errors have one type and were thrown in one place, or
 * have one type and message. Null when neither.
 */
export function sameCause(one: RootError | undefined, other: RootError | undefined): RelatedBody['same_cause'] {
  if (one === undefined || other === undefined || one.type !== other.type || one.type === '') return null
  if (one.place !== undefined && one.place === other.place) return 'frame'
  return one.value !== '' && one.value === other.value ? 'error' : null
}
