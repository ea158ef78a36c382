import * as z from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { createTokenBuckets, type RateLimit, type Spent, type TokenBuckets } from '../../lib/token-bucket.ts'
import type { Platform } from '../shared/context.ts'
import type { Messages } from '../sql/database.ts'

/** How often the other processes are told. */
const TELL_MS = 1_000
/** Characters of a message: a notification takes 8,000 bytes with its sender. */
const MESSAGE_CHARACTERS = 7_500
const PREFIX = 'spent:'

/** In a message: the name of a limit, a key, what the key has spent, and its tokens per second. */
const Told = z.array(z.tuple([z.string(), z.string(), z.number().nonnegative(), z.number().nonnegative()]))

/** Limits that hold over all processes, as far as they have told each other what was spent. */
export interface SharedRates {
  /** The limit of this name: the same one in all processes. */
  limit(this: void, name: string): RateLimit
  close(this: void): void
}

export interface SharedRateOptions {
  platform: Pick<Platform, 'now'>
  clock: Clock
  /** Without them each process counts for itself. */
  messages: Messages | undefined
}

/**
 * Each process counts its own requests at once. A second later it tells the others which keys have spent much, and they
 * deduct it: a burst may be spent once in each process, the mean rate holds for all of them together.
 */
export function createSharedRates({ platform, clock, messages }: SharedRateOptions): SharedRates {
  const limits = new Map<string, TokenBuckets>()
  let cancel: (() => void) | undefined

  function tell(): void {
    cancel = undefined
    const told = [...limits].flatMap(([name, { spentHere }]) => spentHere().map((spent) => entry(name, spent)))
    for (const message of inMessages(told)) messages?.send(message)
  }

  messages?.listen((text) => {
    if (!text.startsWith(PREFIX)) return
    for (const [name, key, cost, perSecond] of readTold(text.slice(PREFIX.length))) {
      limits.get(name)?.spentElsewhere({ key, cost, perSecond })
    }
  })
  return {
    limit(name) {
      const buckets = limits.get(name) ?? createTokenBuckets({ now: () => platform.now() })
      limits.set(name, buckets)
      if (messages === undefined) return buckets.take
      return (...request) => {
        cancel ??= clock.after(TELL_MS, tell)
        return buckets.take(...request)
      }
    },
    close: () => cancel?.(),
  }
}

function entry(name: string, { key, cost, perSecond }: Spent): string {
  return JSON.stringify([name, key, Math.round(cost), perSecond])
}

/** As few messages as they fit into. */
function inMessages(entries: readonly string[]): string[] {
  const messages: string[] = []
  let listed: string[] = []
  let characters = 0
  const end = () => {
    if (listed.length > 0) messages.push(`${PREFIX}[${listed.join(',')}]`)
    listed = []
    characters = 0
  }
  for (const each of entries) {
    if (characters + each.length > MESSAGE_CHARACTERS) end()
    listed.push(each)
    characters += each.length + 1
  }
  end()
  return messages
}

/** A newer version may tell it in another form, which is then not counted here. */
function readTold(text: string): z.output<typeof Told> {
  try {
    return Told.parse(JSON.parse(text))
  } catch {
    return []
  }
}
