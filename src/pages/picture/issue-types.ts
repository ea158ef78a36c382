/** Error issues as the board draws them: words only. What is undefined was not stated, or has no place in what was read. */
export interface IssuePicture {
  /** SHOP-31, or the id where the key does not identify it. */
  key: string
  /** Outsiders' words. */
  title: string
  /** Outsiders' words. */
  culprit: string | undefined
  /** Undefined where all rows have the same. */
  status: string | undefined
  level: string | undefined
  /** What is not usual: new, regressed, unhandled. */
  marks: readonly Mark[]
  component: string | undefined
  environments: string | undefined
  /** The release that brought it, where that is all that is known of its beginning. */
  since: string | undefined
  events: number | undefined
  /** 0: no event names a user. */
  users: number | undefined
  first: SeenPicture | undefined
  last: SeenPicture | undefined
  evidence: EvidencePicture | undefined
  /** Who says that it is open, and what follows for the gate. */
  vouched: string | undefined
  /** Occurrences over time. null: not stated. undefined: what was read has no place for it. */
  trend: TrendPicture | null | undefined
}

export type Tone = 'good' | 'warn' | 'bad' | 'open'

export interface Mark {
  word: string
  tone: Tone
}

export interface SeenPicture {
  /** In UTC. */
  at: string
  /** `3 days ago`. */
  ago: string | undefined
  release: string | undefined
}

export interface EvidencePicture {
  word: string
  tone: Tone
  /** What it rests on and what it proves, in sentences. */
  says: string | undefined
}

export interface TrendPicture {
  /** One for each span of time, the oldest first. */
  counts: readonly number[]
  /** The same in words. */
  says: string
}
