import { Worker } from 'node:worker_threads'

const TURNS = 2_000

/** Waits until it is woken, and wakes the other thread, so many times. */
const ANSWER = `
const { turn, turns } = require('node:worker_threads').workerData
for (let left = turns; left > 0; left -= 1) {
  Atomics.wait(turn, 0, 0)
  Atomics.store(turn, 0, 0)
  Atomics.notify(turn, 0)
}`

/**
 * Microseconds from when one thread wakes another until that one runs. Where processors sleep between two pieces of work,
 * above all in a virtual machine, it may take fifty times as long as where they do not: then whatever two processes or
 * threads do in turn takes longer, however fast the machine computes.
 */
export async function wakeUs(): Promise<number> {
  const turn = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(ANSWER, { eval: true, workerData: { turn, turns: TURNS } })
  const ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject))
  // The first turn also waits until the thread has started.
  pass(turn)
  const start = performance.now()
  for (let left = TURNS - 1; left > 0; left -= 1) pass(turn)
  const taken = performance.now() - start
  await ended
  return (taken * 1_000) / (2 * (TURNS - 1))
}

/** Wakes the other thread, and waits until it has woken this one. */
function pass(turn: Int32Array): void {
  Atomics.store(turn, 0, 1)
  Atomics.notify(turn, 0)
  Atomics.wait(turn, 0, 1)
}
