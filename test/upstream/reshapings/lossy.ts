import type { Reshapings } from '../reshaping.ts'
import { absent } from './absent.ts'
import { missing } from './missing.ts'
import { parameters } from './parameters.ts'
import { unreadable } from './unreadable.ts'

/** Reshapings that lose something: a result may say less, and nothing that is not so. */
export const lossy: Reshapings = { ...parameters, ...absent, ...unreadable, ...missing }
