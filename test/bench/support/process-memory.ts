import { readFileSync } from 'node:fs'

/** The memory of a process that is resident now, in MB (2^20 bytes); NaN where the system does not tell. */
export function residentMb(pid: number | undefined): number {
  return field(pid, 'VmRSS')
}

/** The most memory that was resident in a process so far, in MB (2^20 bytes); NaN where the system does not tell. */
export function mostResidentMb(pid: number | undefined): number {
  return field(pid, 'VmHWM')
}

/** A field of `/proc/PID/status`, which only Linux has. */
function field(pid: number | undefined, name: string): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}
