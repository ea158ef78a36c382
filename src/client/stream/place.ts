import type { StreamFacts } from '../../contract/base/endpoint.ts'
import { isObject } from '../../lib/objects.ts'

export type Item = Readonly<Record<string, unknown>>

/** How far a reader of a numbered stream has come. */
export class StreamPlace {
  readonly #facts: StreamFacts
  /** The number that was seen last; -1 before the first, because some deployments count from 0. */
  #last: number
  #isNumbered = true
  /** Where items were missing when they were asked for again. */
  #gapAt: number | undefined
  #gapsStay = false
  /** What the newest resync said, until an item follows. */
  #resync = ''

  constructor(facts: StreamFacts, after: unknown) {
    this.#facts = facts
    this.#last = typeof after === 'number' ? after : -1
  }

  /** The number to go on after; undefined at the beginning. */
  get after(): number | undefined {
    return this.#last > 0 ? this.#last : undefined
  }

  /** False when an item had no number: after a cut it is not known which ones are missing. */
  get isKnown(): boolean {
    return this.#isNumbered
  }

  /**
   * What the reader gets for the item that came next: nothing for one that it has seen, and undefined when items before it
   * are missing and have to be asked for. When they are missing again, the deployment does not have them: a resync says so.
   */
  take(item: Item): Item[] | undefined {
    const { member, number, resync } = this.#facts
    const again = item[resync.member]
    if (isObject(again)) return this.#goOnFrom(item, again)
    const value = item[member]
    const sequence = isObject(value) ? value[number] : undefined
    if (typeof sequence === 'number') return this.#goOnTo(item, sequence)
    this.#isNumbered = false
    return [item]
  }

  #goOnTo(item: Item, sequence: number): Item[] | undefined {
    const before = this.#last
    if (sequence <= before) return []
    const isGap = sequence > Math.max(before + 1, 1)
    if (isGap && !this.#gapsStay && this.#gapAt !== before) {
      this.#gapAt = before
      return undefined
    }
    this.#resync = ''
    this.#last = sequence
    if (!isGap) return [item]
    this.#gapsStay = true
    const { resync, resume } = this.#facts
    return [{ [resync.member]: { [resume]: Math.max(before, 0), [resync.first]: sequence } }, item]
  }

  /** A resync that says the same again is not news: the deployment may send it on each connection. */
  #goOnFrom(item: Item, again: Item): Item[] {
    const { first: firstName, last: lastName } = this.#facts.resync
    const [first, last] = [again[firstName], again[lastName]]
    const place = typeof first === 'number' && first > 0 ? first - 1 : last
    const said = JSON.stringify([first, last])
    if (said === this.#resync) return []
    this.#resync = said
    if (typeof place === 'number') this.#last = place
    return [item]
  }
}
