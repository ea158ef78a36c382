import { homedir } from 'node:os'
import type { Machine } from './client.ts'

/** This machine, with the home that these variables name. */
export function thisMachine(env: Machine['env']): Machine {
  return { home: env['HOME'] ?? env['USERPROFILE'] ?? homedir(), platform: process.platform, env }
}
