import type { NormalEvent } from '../../event/event.ts'
import type { PreparedEvent } from '../../event/prepared-event.ts'
import type { OverflowGrouping } from './overflow.ts'

/** A prepared event with what decides where it belongs. */
export interface Prepared extends Omit<PreparedEvent, 'grouping' | 'mapped'> {
  productId: number
  grouping: PreparedEvent['grouping'] | OverflowGrouping
  /** Its stacks with source maps applied, which only a new issue or a new path in the code needs. */
  stacks: () => Pick<NormalEvent, 'exceptions' | 'threads'>
  /** Came with a server key (decision 057). */
  vouched: boolean
}
