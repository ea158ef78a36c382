import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Until what refers to the garbage, such as the answer that is being written, is gone too. */
const AFTER_MS = 100

let collect: (() => void) | undefined

/**
 * Collects garbage shortly after a piece of work that has left tens of megabytes. V8 would let it lie until the heap has
 * 256 MB (decision 034). Takes some milliseconds per 10 MB that stay.
 */
export function collectGarbageSoon(): void {
  collect ??= exposed()
  setTimeout(collect, AFTER_MS).unref()
}

/** The function that Node has with `--expose-gc`. */
function exposed(): () => void {
  setFlagsFromString('--expose-gc')
  const found = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return found
}
