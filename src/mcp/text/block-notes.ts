import { flagSteps, isAlarming, type Flags } from '../../lib/outside-text/flags.ts'
import { isObject } from '../../lib/objects.ts'
import { controlsIn, type Revealed } from '../../lib/outside-text/reveal.ts'

const CODE_POINTS_NAMED = 8
const PLACES_NAMED = 3

/** What is said about the texts of a block. A place is a member, or a row of one by its key. */
export interface BlockNotes {
  /** Characters that are shown as escapes, `U+200D ×2 in breadcrumbs, message`, and colours that were left out. */
  escaped: string[]
  /** Characters that look like others, in the same form. */
  look_alikes: string[]
  /** How many secrets of each kind were replaced. */
  redacted: Record<string, number>
  /** Flags of the raw texts, as far as they can be shown. */
  flags: Flags
  /** Rows and fields that have a strong flag on their own; empty if only several of them together have one. */
  flagged: string[]
}

type Counts = Map<string, Map<string, number>>

/** Takes notes while a block is opened. */
export class NoteTaker {
  /** Where the text is that is being opened. */
  place = ''
  readonly redacted: Record<string, number> = {}
  readonly #escaped: Counts = new Map()
  readonly #alike: Counts = new Map()
  readonly #read: { place: string; text: string }[] = []

  /** Notes what was read of a raw text. */
  read(text: string): void {
    this.#read.push({ place: this.place, text })
  }

  /** Notes what was replaced. */
  replaced(counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts)) this.redacted[kind] = (this.redacted[kind] ?? 0) + count
  }

  /** Notes what is shown as an escape and what looks like something else. */
  revealed({ escaped, alike, colours }: Revealed): void {
    for (const point of escaped) this.#count(this.#escaped, point, 1)
    if (colours > 0) this.#count(this.#escaped, 'colour codes left out', colours)
    for (const point of alike) this.#count(this.#alike, point, 1)
  }

  /** Notes the characters that JSON writes as escapes. */
  escapedByJson(text: string): void {
    for (const point of controlsIn(text)) this.#count(this.#escaped, point, 1)
  }

  /** Everything that was noted. Yields between steps. */
  *steps(): Generator<void, BlockNotes> {
    const flags = yield* flagSteps(this.#read.map(({ text }) => text))
    return {
      escaped: sentences(this.#escaped),
      look_alikes: sentences(this.#alike),
      redacted: this.redacted,
      flags,
      flagged: isAlarming(flags) ? yield* this.#flagged() : [],
    }
  }

  *#flagged(): Generator<void, string[]> {
    const places: string[] = []
    for (const [place, read] of Map.groupBy(this.#read, (one) => one.place)) {
      if (isAlarming(yield* flagSteps(read.map(({ text }) => text)))) places.push(place)
    }
    return places
  }

  #count(counts: Counts, point: string, times: number): void {
    const places = counts.get(point) ?? new Map<string, number>()
    places.set(this.place, (places.get(this.place) ?? 0) + times)
    counts.set(point, places)
  }
}

/** A row by the key that we gave it, anything else by the name of the member. */
export function placeName(name: string, row: unknown): string {
  const { id, test, nr, rank } = isObject(row) ? row : {}
  const key = id ?? test
  const number = nr ?? rank
  if (typeof key === 'string') return key
  return typeof number === 'number' ? `${name} ${number}` : name
}

/** The first of them, and how many more there are. */
export function firstNames(names: readonly string[], most: number): string {
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}

function sentences(counts: Counts): string[] {
  const all = [...counts].map(([point, places]) => {
    const times = [...places.values()].reduce((sum, count) => sum + count, 0)
    return `${point} ×${times} in ${firstNames([...places.keys()], PLACES_NAMED)}`
  })
  const more = all.length - CODE_POINTS_NAMED
  return more > 0 ? [...all.slice(0, CODE_POINTS_NAMED), `${more} more code points`] : all
}
