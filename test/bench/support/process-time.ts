import { readFileSync } from 'node:fs'

/** Ticks of a second in `/proc`, the same on every Linux that Node.js runs on. */
const TICKS = 100

/** Milliseconds of processor time that a process has used, in user and kernel mode; NaN where the system does not tell. */
export function processorMs(pid: number): number {
  try {
    // The name of the command is in parentheses, and may hold anything.
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${String(pid)}/stat`, 'utf8')) ?? []
    const [user, kernel] = fields.split(' ').slice(11, 13).map(Number)
    return (((user ?? Number.NaN) + (kernel ?? Number.NaN)) * 1000) / TICKS
  } catch {
    return Number.NaN
  }
}
