import { placeAfterResync, type StreamFacts } from '../../contract/base/endpoint.ts'
import { isObject } from '../../lib/objects.ts'

export type Item = Readonly<Record<string, unknown>>

/** The place of a reader in a numbered stream. */
export class StreamPlace {
  readonly #facts: StreamFacts
  /** The last number that was received; -1 before the first, because some deployments count from 0. */
  #last: number
  #isNumbered = true
  /** The number after which missing items were requested again. */
  #gapAt: number | undefined
  /** Whether the deployment did not have missing items that were requested again. */
  #hasGaps = false
  /** The numbers of the newest resync, until an item follows. */
  #resync = ''

  constructor(facts: StreamFacts, after: unknown) {
    this.#facts = facts
    this.#last = typeof after === 'number' ? after : -1
  }

  /** The number to continue after; undefined at the beginning. */
  get after(): number | undefined {
    return this.#last > 0 ? this.#last : undefined
  }

  /** False after an item without a number: if the connection is cut, the place to continue at is unknown. */
  get isKnown(): boolean {
    return this.#isNumbered
  }

  /**
   * The items to give the reader for the item that was received: none for one that it has seen, and undefined when earlier
   * items are missing and have to be requested again. If they are still missing then, a resync is given before the item.
   */
  take(item: Item): Item[] | undefined {
    const { member, number, resync } = this.#facts
    const told = item[resync.member]
    if (isObject(told)) return this.#takeResync(item, told)
    const value = item[member]
    const sequence = isObject(value) ? value[number] : undefined
    if (typeof sequence === 'number') return this.#takeNumbered(item, sequence)
    this.#isNumbered = false
    return [item]
  }

  #takeNumbered(item: Item, sequence: number): Item[] | undefined {
    const before = this.#last
    if (sequence <= before) return []
    const isGap = sequence > Math.max(before + 1, 1)
    if (isGap && !this.#hasGaps && this.#gapAt !== before) {
      this.#gapAt = before
      return undefined
    }
    this.#resync = ''
    this.#last = sequence
    if (!isGap) return [item]
    this.#hasGaps = true
    const { resync, resume } = this.#facts
    return [{ [resync.member]: { [resume]: Math.max(before, 0), [resync.first]: sequence } }, item]
  }

  /** A resync is given once, although the deployment may repeat it on each connection. */
  #takeResync(item: Item, resync: Item): Item[] {
    const { first: firstName, last: lastName } = this.#facts.resync
    const [first, last] = [resync[firstName], resync[lastName]]
    const numbers = JSON.stringify([first, last])
    if (numbers === this.#resync) return []
    this.#resync = numbers
    const place = placeAfterResync(first, last)
    if (typeof place === 'number') this.#last = place
    return [item]
  }
}
