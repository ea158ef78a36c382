import { setFlagsFromString } from 'node:v8'

/**
 * Keeps V8's heap small (decision 034). The young generation stays at 16 MB for each of its halves, where it would grow to
 * 64 MB while a large report is stored, and hardly shrink again. The old generation is collected when it has grown by half:
 * calls of tools leave garbage in it that V8 would let lie until the heap has 200 MB and more. V8 reads both flags whenever
 * a generation may grow, so that they can be set while it runs.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=50')
}
