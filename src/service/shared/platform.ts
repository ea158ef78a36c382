import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import type { Platform } from './context.ts'

const ID_BYTES = 16
/** Ids whose random bytes are drawn together: a draw takes as long as ten ids. */
const IDS_PER_DRAW = 256

/** The machine's clock, and UUIDs of version 7 that sort by creation. */
export const systemPlatform: Platform = { now: () => Date.now(), newId: createIds() }

/** Ids of one millisecond are numbered from a random place, as `v7` alone does. */
function createIds(): () => string {
  const drawn = new Uint8Array(ID_BYTES * IDS_PER_DRAW)
  let used = drawn.length
  let msecs = -Infinity
  let seq = 0
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn)
      used = 0
    }
    const random = drawn.subarray(used, (used += ID_BYTES))
    const now = Date.now()
    if (now > msecs) {
      msecs = now
      // The other bytes of `random` are in the id.
      seq = ((random[6]! << 24) | (random[7]! << 16) | (random[8]! << 8) | random[9]!) >>> 1
    } else {
      seq = (seq + 1) >>> 0
      if (seq === 0) msecs += 1
    }
    return v7({ random, msecs, seq })
  }
}
