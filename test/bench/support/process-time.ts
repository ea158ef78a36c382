import { readFileSync } from 'node:fs'

/** Ticks of a second in `/proc`, the same on every Linux that Node.js runs on. */
const TICKS = 100

/**
 * Milliseconds of processor time that a process and its children that have ended used, in user and kernel mode; NaN where the
 * system does not tell.
 */
export function processorMs(pid: number): number {
  try {
    // The name of the command is in parentheses, and may hold anything.
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${String(pid)}/stat`, 'utf8')) ?? []
    const times = fields.split(' ').slice(11, 15).map(Number)
    return times.length < 4 ? Number.NaN : (times.reduce((sum, ticks) => sum + ticks, 0) * 1000) / TICKS
  } catch {
    return Number.NaN
  }
}
