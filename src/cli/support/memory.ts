import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const MiB = 1024 * 1024
/** What each half of the young generation may have. */
const MOST_HALF = 16 * MiB

/**
 * Keeps V8's heap small (decision 034). The young generation grows to 16 MB for each of its halves, where it would grow to
 * 32 MB while a large report is stored. The old generation is collected when it has grown by half: calls of tools leave
 * garbage in it that V8 would let lie until the heap has 200 MB and more. V8 reads both flags whenever a generation may
 * grow, so that they can be set while it runs.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50')
  // Work that never lets others run may not make it grow at all: nothing would stop it at 16 MB.
  setFlagsFromString('--semi-space-growth-factor=1')
  new PerformanceObserver(limitYoungGeneration).observe({ entryTypes: ['gc'] })
}

/**
 * Lets the young generation grow as far as it may. After each collection, because V8 makes the halves 1 MB when a process
 * has had nothing to do for eight seconds.
 */
function limitYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  // Of a generation that has just shrunk, V8 counts one half.
  const half = Math.max(MiB, (young?.space_size ?? 0) / 2)
  setFlagsFromString(`--semi-space-growth-factor=${String(Math.max(1, Math.floor(MOST_HALF / half)))}`)
}
