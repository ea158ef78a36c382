import { v7 } from 'uuid'
import type { Platform } from './context.ts'

/** The machine's clock, and UUIDs of version 7 that sort by creation. */
export const systemPlatform: Platform = { now: () => Date.now(), newId: () => v7() }
