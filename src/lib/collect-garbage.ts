import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Until what refers to the garbage, such as the answer that is being written, is gone too. */
const AFTER_MS = 100

type Collect = (options: { type: 'minor' }) => void

let collect: Collect | undefined

/**
 * Lets V8 begin to collect all garbage shortly after a piece of work that has left tens of megabytes, which would lie until
 * the heap has grown by half (decision 034). V8 marks what stays beside other work and in small steps; `gc()` would do all
 * of it at once.
 */
export function collectGarbageSoon(): void {
  const young = (collect ??= exposed())
  setTimeout(() => {
    // V8 compares the growth of the heap with its limit after each collection of the young generation.
    setFlagsFromString('--incremental-marking-hard-trigger=1')
    young({ type: 'minor' })
    setFlagsFromString('--incremental-marking-hard-trigger=0')
  }, AFTER_MS).unref()
}

/** The function that Node has with `--expose-gc`. */
function exposed(): Collect {
  setFlagsFromString('--expose-gc')
  const found = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return found
}
