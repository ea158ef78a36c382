import type { Platform } from '../../../shared/context.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { EventStore } from '../../event/event-store.ts'
import { readStacks, writeStacks } from '../../event/mapped-stacks.ts'
import { createPace } from '../../../shared/pace.ts'
import { resymbolicate } from './resymbolicate.ts'
import type { Symbolicator } from '../../sourcemaps/symbolicate/symbolicator.ts'
import type { Database } from '../../../sql/database.ts'
import { packBody, unpackBody } from '../bodies/body.ts'
import { createDictionaries } from '../bodies/choose.ts'
import { dictionaryText } from '../bodies/dictionary.ts'
import { createAttribution } from './attribution.ts'
import { createClaimCheck } from './claims.ts'
import { createSuspicion } from './corroboration.ts'
import { createDropCounters } from './drop-counters.ts'
import { createPlaceFinder, createProductReader } from './event-place.ts'
import { knownReleases, vouchedReleases } from './known-releases.ts'
import { newIssuesPerHour as defaultNewIssues } from './overflow.ts'
import { prepareEvent } from './prepare-event.ts'
import { askAhead, recordEvent, writeGathered, type RecordTools } from './record-event.ts'
import { createIssueCounters, createPlaceCounters } from './counters.ts'
import { groupCommit } from './together/group-commit.ts'
import { createIssueChanges } from './issue-changes.ts'
import { createKnownRows } from './together/known-rows.ts'
import { createNewOccurrences } from './together/new-occurrences.ts'

export interface IssueStore extends EventStore {
  /** Call after every change of a product's components: unresolved issues are attributed again in the background. */
  componentsChanged(productId: number): void
  /**
   * Call when a confirm has added artifacts of a release or with debug ids: the issues concerned are updated from their
   * newest events. Resolves to the number of issues that changed.
   */
  sourceMapsAdded(productId: number, release: string, debugIds: readonly string[]): Promise<number>
  /** Resolves when all counts are on disk and no background work is left. */
  idle(): Promise<void>
}

export interface EventStoreOptions {
  db: Database
  platform: Platform
  symbolicator: Symbolicator
  /** New issues of a product in an hour; 0 is no limit. The default is that of decision 011. */
  newIssuesPerHour?: number | undefined
  /** Called with failures of background work, which nothing awaits. */
  onError?: (error: unknown) => void
}

/** Dictionaries of about 1,200 issues: where many events arrive, the thread of events chooses them. */
const DICTIONARY_BYTES = 4 * 1024 ** 2

/**
 * Turns events into issues. `append` symbolicates, groups and packs events one at a time, adds each to the next
 * transaction together with all others that arrived meanwhile, and resolves when that transaction is on disk. Counts of
 * what SDKs dropped are written once a second, and by `idle`.
 */
export function createEventStore({
  db,
  platform,
  symbolicator,
  newIssuesPerHour = defaultNewIssues,
  onError = () => {},
}: EventStoreOptions): IssueStore {
  const attribution = createAttribution({ db, symbolicator })
  // Only one event at a time waits for its source maps and what they say of its code, so that events are stored in the order
  // of arrival.
  const inTurn = createPace()
  const chooseInTurn = createPace()
  const pace = createPace()
  const chooseDictionary = createDictionaries(db.read, { keptBytes: DICTIONARY_BYTES })
  const dropCounters = createDropCounters({ db, onError })
  const record = groupCommit({
    db,
    begin(prepare): RecordTools {
      const releases = { releases: knownReleases(prepare), vouchedReleases: vouchedReleases(prepare) }
      return {
        prepare,
        platform,
        locate: attribution.locate,
        ...releases,
        product: createProductReader(prepare),
        placeFinder: createPlaceFinder({ prepare, platform, ...releases }),
        rows: createKnownRows(prepare),
        occurrences: createNewOccurrences(prepare),
        counters: createIssueCounters(prepare),
        changes: createIssueChanges(prepare),
        places: createPlaceCounters(prepare),
        newIssuesPerHour,
      }
    },
    ahead: askAhead,
    work: recordEvent,
    async end(tools) {
      await writeGathered(tools)
      await tools.places.write()
    },
  })
  const claims = createClaimCheck({ db, symbolicator })
  const isSuspicious = createSuspicion()
  let background: Promise<void> = Promise.resolve()

  /** The prepared event, and the event with source maps applied. */
  async function read(productId: number, event: NormalEvent) {
    const { symbolicated, contradicted } = await inTurn(async () => {
      const mapped = await symbolicator.symbolicate(productId, event)
      return { symbolicated: mapped, contradicted: await claims.contradicts(productId, mapped.event) }
    })
    const prepared = await pace(() => prepareEvent(event, symbolicated, isSuspicious))
    const { hash } = prepared.grouping
    const dictionary = await chooseInTurn(() => chooseDictionary(productId, hash, event))
    const body = await pace(() => packBody(event, dictionaryText(dictionary)))
    return { prepared: { ...prepared, packed: { body, dictionary }, contradicted }, mapped: symbolicated.event }
  }

  return {
    async append(productId, event, { vouched = false } = {}) {
      const { prepared, mapped } = await read(productId, event)
      return record({ ...prepared, productId, stacks: () => mapped, vouched })
    },

    async prepare(productId, event) {
      const { prepared, mapped } = await read(productId, event)
      return { ...prepared, mapped: mapped === event ? undefined : writeStacks(mapped) }
    },

    appendPrepared(productId, { mapped, ...prepared }, { vouched = false } = {}) {
      const { body, dictionary } = prepared.packed
      const stacks = () =>
        mapped === undefined ? unpackBody(body, dictionaryText(dictionary)).event : readStacks(mapped)
      return record({ ...prepared, productId, stacks, vouched })
    },

    recordDropped: (productId, drops) => dropCounters.add(productId, drops),

    componentsChanged(productId) {
      attribution.forget(productId)
      background = background.then(() => attribution.reattribute(productId)).catch(onError)
    },

    sourceMapsAdded(productId, release, debugIds) {
      return resymbolicate({ db, symbolicator, ...attribution, claims }, productId, release, debugIds)
    },

    async idle() {
      await dropCounters.flush()
      await background
    },
  }
}
