import { html, type Html } from '../support/html.ts'
import type { TrendPicture } from './issue-types.ts'

const WIDTH = 120
const HEIGHT = 28
/** The lowest bar: one event beside thousands is seen. */
const LEAST = 2

/** Occurrences over time as bars, the highest as high as the picture. */
export function sparkline({ counts, says }: TrendPicture): Html {
  const highest = Math.max(1, ...counts)
  const step = WIDTH / Math.max(1, counts.length)
  const bars = counts.map((count, index) => {
    if (count <= 0) return ''
    const height = rounded(Math.max(LEAST, (count / highest) * (HEIGHT - 1)))
    const width = rounded(Math.max(1, step - 1))
    return `M${rounded(index * step)} ${String(HEIGHT)}v-${height}h${width}v${height}z`
  })
  return html`<svg
    class="trend"
    viewBox=${`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
    preserveAspectRatio="none"
    role="img"
    aria-label=${says}
  >
    <path class="trend-ground" d=${`M0 ${String(HEIGHT - 0.5)}h${String(WIDTH)}`} />
    <path class="trend-bars" d=${bars.join('')} />
  </svg>`
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10)
}
