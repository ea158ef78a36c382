import type { EventFacts, PreparedEvent } from '../../../event/prepared-event.ts'
import type { Bindable, Prepare } from '../../../../sql/database.ts'
import { createAnswers } from './answers.ts'

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

/** What an event is known by. */
export interface AskingEvent {
  productId: number
  event: Pick<EventFacts, 'sdk_event_id' | 'user_hash'>
  grouping: Pick<PreparedEvent['grouping'], 'hash' | 'other_hashes'>
  packed: { dictionary: { id: number } }
  vouched: boolean
}

/**
 * Rows that the events of one transaction ask for, each read once: there is no other writer meanwhile. Facts of issues
 * are those after the events that were gathered, whose changes are not written yet.
 */
export interface KnownRows {
  /** Reads together what recording these events asks for. */
  ask(events: readonly AskingEvent[]): Promise<void>

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
  const issues = new Map<string, IssueFacts>()
  const occurrences = createAnswers((keys: readonly EventKey[]) =>
    prepare('SELECT id, vouched FROM occurrence WHERE product_id = ? AND sdk_event_id = ?').getEach<KnownOccurrence>(
      keys,
    ),
  )
  const hashes = {
    any: createAnswers((keys: readonly HashKey[]) => readIssues(keys, 'any')),
    vouched: createAnswers((keys: readonly HashKey[]) => readIssues(keys, 'vouched')),
  }
  const dictionaries = createAnswers((keys: readonly DictionaryKey[]) =>
    exist('SELECT 1 AS found FROM body_dictionary_issue WHERE dictionary_id = ? AND issue_id = ?', keys),
  )
  const users = createAnswers((keys: readonly UserKey[]) =>
    exist('SELECT 1 AS found FROM issue_user WHERE issue_id = ? AND user_hash = ?', keys),
  )

  async function readIssues(keys: readonly HashKey[], which: Which): Promise<(string | undefined)[]> {
    const rows = await prepare(
      `SELECT issue.id, issue.status, issue.resolved_in, issue.fixed_in, issue.ignore_until, issue.component_id,
         issue.first_seen, issue.last_seen, issue.times_seen
       FROM issue_hash JOIN issue ON issue.id = issue_hash.issue_id
       WHERE issue_hash.product_id = ? AND issue_hash.hash = ? ${conditions[which]}`,
    ).getEach<IssueFacts>(keys)
    // What was gathered is newer than the row.
    for (const row of rows) if (row !== undefined && !issues.has(row.id)) issues.set(row.id, row)
    return rows.map((row) => row?.id)
  }

  async function exist(sql: string, keys: readonly (readonly Bindable[])[]): Promise<boolean[]> {
    const rows = await prepare(sql).getEach(keys)
    return rows.map((row) => row !== undefined)
  }

  async function findIssue(productId: number, hash: string, which: Which): Promise<IssueFacts | undefined> {
    const key: HashKey = [productId, hash]
    // Other events of the transaction may vouch for an issue meanwhile.
    const id = which === 'free' ? (await readIssues([key], which))[0] : await hashes[which].get(key)
    return id === undefined ? undefined : issues.get(id)
  }

  async function askForIssues(events: readonly AskingEvent[]): Promise<void> {
    const vouched = events.filter((event) => event.vouched)
    const others = events.filter((event) => !event.vouched)
    await Promise.all([hashes.vouched.ask(vouched.flatMap(hashKeys)), hashes.any.ask(others.flatMap(hashKeys))])
  }

  return {
    async ask(events) {
      await Promise.all([occurrences.ask(events.map(eventKey)), askForIssues(events)])
      const wanted: { dictionaries: DictionaryKey[]; users: UserKey[] } = { dictionaries: [], users: [] }
      for (const event of events) {
        const issueId = hashes[event.vouched ? 'vouched' : 'any'].known([event.productId, event.grouping.hash])
        if (issueId === undefined || occurrences.known(eventKey(event)) !== undefined) continue
        wanted.dictionaries.push([event.packed.dictionary.id, issueId])
        if (event.event.user_hash !== '') wanted.users.push([issueId, event.event.user_hash])
      }
      await Promise.all([dictionaries.ask(wanted.dictionaries), users.ask(wanted.users)])
    },
    occurrence: (productId, sdkEventId) => occurrences.get([productId, sdkEventId]),
    issue: findIssue,
    hasDictionary: (dictionaryId, issueId) => dictionaries.get([dictionaryId, issueId]),
    hasUser: (issueId, userHash) => users.get([issueId, userHash]),

    addOccurrence: (productId, sdkEventId, occurrence) => occurrences.set([productId, sdkEventId], occurrence),
    addIssue: (facts) => void issues.set(facts.id, facts),
    addDictionary: (dictionaryId, issueId) => dictionaries.set([dictionaryId, issueId], true),
    addUser: (issueId, userHash) => users.set([issueId, userHash], true),
    forgetHashes(productId, attached) {
      for (const hash of attached) for (const known of [hashes.any, hashes.vouched]) known.forget([productId, hash])
    },
    forget() {
      issues.clear()
      for (const known of [occurrences, hashes.any, hashes.vouched, dictionaries, users]) known.clear()
    },
  }
}

type EventKey = readonly [productId: number, sdkEventId: string]
type HashKey = readonly [productId: number, hash: string]
type DictionaryKey = readonly [dictionaryId: number, issueId: string]
type UserKey = readonly [issueId: string, userHash: string]

function eventKey({ productId, event }: AskingEvent): EventKey {
  return [productId, event.sdk_event_id]
}

/** Of the hashes that are attached to the issue of each event. */
function hashKeys({ productId, grouping: { hash, other_hashes: others } }: AskingEvent): HashKey[] {
  return [hash, ...others].map((each) => [productId, each])
}
