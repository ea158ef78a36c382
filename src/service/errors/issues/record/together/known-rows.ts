import type { Prepare } from '../../../../sql/database.ts'

/** What recording an event needs of its issue. */
export interface IssueFacts {
  id: string
  status: string
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
  /** '' for none. */
  component_id: string
  first_seen: number
  last_seen: number
  times_seen: number
}

/**
 * Which hashes count: all, those that an event with a server key vouched for, or those of issues that nothing is vouched
 * for of.
 */
export type Which = 'any' | 'vouched' | 'free'

const conditions: Record<Which, string> = {
  any: '',
  vouched: 'AND issue_hash.vouched = 1',
  free: 'AND NOT EXISTS (SELECT 1 FROM vouched_issue WHERE vouched_issue.issue_id = issue.id)',
}

/** An occurrence with the SDK's id of an event. */
interface KnownOccurrence {
  id: string
  vouched: number
}

/**
 * Rows that the events of one transaction ask for, each read once: there is no other writer meanwhile. Facts of issues
 * are those after the events that were gathered, whose changes are not written yet.
 */
export interface KnownRows {
  /** The occurrence of an event with this id of an SDK. */
  occurrence(productId: number, sdkEventId: string): Promise<KnownOccurrence | undefined>
  /** The issue that a hash leads to. */
  issue(productId: number, hash: string, which: Which): Promise<IssueFacts | undefined>
  /** Whether bodies of the issue may be packed with the dictionary. */
  hasDictionary(dictionaryId: number, issueId: string): Promise<boolean>
  /** Whether an event of the user belongs to the issue. */
  hasUser(issueId: string, userHash: string): Promise<boolean>

  /** What the transaction has added. */
  addOccurrence(productId: number, sdkEventId: string, occurrence: KnownOccurrence): void
  addIssue(facts: IssueFacts): void
  addDictionary(dictionaryId: number, issueId: string): void
  addUser(issueId: string, userHash: string): void
  /** Call after hashes were attached: what they lead to is read again. */
  forgetHashes(productId: number, hashes: readonly string[]): void
  /** Call after issues were changed, and what was gathered is written: everything is read again. */
  forget(): void
}

/** Valid for one transaction. */
export function createKnownRows(prepare: Prepare): KnownRows {
  const occurrences = new Map<string, Promise<KnownOccurrence | undefined>>()
  const hashes = new Map<string, Promise<string | undefined>>()
  const issues = new Map<string, IssueFacts>()
  const dictionaries = new Map<string, Promise<boolean>>()
  const users = new Map<string, Promise<boolean>>()

  async function readIssue(productId: number, hash: string, which: Which): Promise<string | undefined> {
    const row = await prepare(
      `SELECT issue.id, issue.status, issue.resolved_in, issue.fixed_in, issue.ignore_until, issue.component_id,
         issue.first_seen, issue.last_seen, issue.times_seen
       FROM issue_hash JOIN issue ON issue.id = issue_hash.issue_id
       WHERE issue_hash.product_id = ? AND issue_hash.hash = ? ${conditions[which]}`,
    ).get<IssueFacts>(productId, hash)
    // What was gathered is newer than the row.
    if (row !== undefined && !issues.has(row.id)) issues.set(row.id, row)
    return row?.id
  }

  return {
    occurrence: (productId, sdkEventId) =>
      remembered(occurrences, [productId, sdkEventId], () =>
        prepare('SELECT id, vouched FROM occurrence WHERE product_id = ? AND sdk_event_id = ?').get<KnownOccurrence>(
          productId,
          sdkEventId,
        ),
      ),
    async issue(productId, hash, which) {
      const read = () => readIssue(productId, hash, which)
      // Other events of the transaction may vouch for an issue meanwhile.
      const id = which === 'free' ? await read() : await remembered(hashes, [productId, hash, which], read)
      return id === undefined ? undefined : issues.get(id)
    },
    hasDictionary: (dictionaryId, issueId) =>
      remembered(dictionaries, [dictionaryId, issueId], async () => {
        const select = 'SELECT 1 AS found FROM body_dictionary_issue WHERE dictionary_id = ? AND issue_id = ?'
        return (await prepare(select).get(dictionaryId, issueId)) !== undefined
      }),
    hasUser: (issueId, userHash) =>
      remembered(users, [issueId, userHash], async () => {
        const select = 'SELECT 1 AS found FROM issue_user WHERE issue_id = ? AND user_hash = ? LIMIT 1'
        return (await prepare(select).get(issueId, userHash)) !== undefined
      }),

    addOccurrence: (productId, sdkEventId, occurrence) =>
      void occurrences.set(keyFor([productId, sdkEventId]), Promise.resolve(occurrence)),
    addIssue: (facts) => void issues.set(facts.id, facts),
    addDictionary: (dictionaryId, issueId) =>
      void dictionaries.set(keyFor([dictionaryId, issueId]), Promise.resolve(true)),
    addUser: (issueId, userHash) => void users.set(keyFor([issueId, userHash]), Promise.resolve(true)),
    forgetHashes(productId, attached) {
      for (const hash of attached)
        for (const which of ['any', 'vouched']) hashes.delete(keyFor([productId, hash, which]))
    },
    forget() {
      for (const known of [occurrences, hashes, issues, dictionaries, users]) known.clear()
    },
  }
}

function keyFor(parts: readonly unknown[]): string {
  return JSON.stringify(parts)
}

function remembered<T>(known: Map<string, Promise<T>>, parts: readonly unknown[], read: () => Promise<T>): Promise<T> {
  const key = keyFor(parts)
  const before = known.get(key)
  if (before !== undefined) return before
  const reading = read()
  known.set(key, reading)
  return reading
}
