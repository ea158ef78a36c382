import { element } from './dom.ts'

/** Counts down the seconds of an offer. */
export class OfferCountdown {
  readonly #box: HTMLElement
  #left: number

  constructor(box: HTMLElement, seconds: number) {
    this.#box = box
    this.#left = seconds
  }

  start(everyMs = 1000): void {
    const timer = setInterval(() => {
      this.tick()
      if (this.#left === 0) clearInterval(timer)
    }, everyMs)
  }

  tick(): void {
    this.#left -= 1
    element('.seconds', this.#box).textContent = String(this.#left)
  }
}
