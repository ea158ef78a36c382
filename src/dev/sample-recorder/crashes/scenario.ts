/** A bug of the shop and when customers ran into it. */
export interface Scenario {
  name: string
  /** The start of `type: value` of the outermost exception, or of the message; any other report stops the recording. */
  reports: string
  runs: readonly Run[]
  /** Store equal crashes as one line with its repetitions. */
  fold?: boolean
}

export interface Run {
  release: string
  environment: string
  /** Times of the crashes, in milliseconds before the newest event. */
  before: readonly number[]
}

const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

/** Converts a duration such as `2d 3h` to milliseconds. */
export function ago(text: string): number {
  return text.split(' ').reduce((total, part) => {
    const unit = units[part.at(-1) as keyof typeof units]
    return total + Number(part.slice(0, -1)) * unit
  }, 0)
}

/** Crashes of one release in one environment, as `on('production', '1.4.0', '2d 3h', '1d')`. */
export function on(environment: string, version: string, ...times: string[]): Run {
  return { environment, release: `shop@${version}`, before: times.map(ago) }
}

/** Many crashes in a row, quickly at first, then more and more slowly. */
export function burst(environment: string, version: string, start: string, count: number): Run {
  const before: number[] = []
  for (let at = ago(start), index = 0; index < count; index++) {
    before.push(at)
    at -= 1500 + ((index * 7919) % 2500) + index * 25
  }
  return { environment, release: `shop@${version}`, before }
}

/** The origin of the shop in an environment. */
export function shopOrigin(environment: string): string {
  return environment === 'production' ? 'https://shop.example' : `https://${environment}.shop.example`
}
