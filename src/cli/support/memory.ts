import { setFlagsFromString } from 'node:v8'

/**
 * Keeps V8's young generation at the few megabytes that it has at the start. It would grow to 64 MB and more while a
 * large report is stored, and hardly shrink again: a server that is idle most of the time has better use for the memory
 * (decision 034). V8 reads the flag whenever the young generation may grow, so that it can be set while it runs.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
