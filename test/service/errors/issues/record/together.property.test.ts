import * as fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { normalise } from '../../../../../src/service/errors/ingest/normalise/index.ts'
import { createEventStore, type IssueStore } from '../../../../../src/service/errors/issues/record/store.ts'
import { tries } from '../../../../property-tries.ts'
import { minuteMs, openRig, type Rig } from '../rig.ts'

const event = fc.record({
  id: fc.integer({ min: 0, max: 12 }).map((id) => id.toString(16).padStart(32, '0')),
  function: fc.constantFrom('pay', 'ship', 'refund', 'total'),
  /** A second frame outside the team's code, and whether the first one is in it: they have hashes in common. */
  inLibrary: fc.boolean(),
  inApp: fc.boolean(),
  environment: fc.constantFrom('production', 'Production', 'staging', ''),
  release: fc.constantFrom('', 'shop@1.0.0', 'shop@1.1.0'),
  user: fc.constantFrom(undefined, 'ada', 'grace'),
  level: fc.constantFrom('fatal', 'error'),
  ago: fc.integer({ min: 0, max: 3 }).map((hours) => hours * 61 * minuteMs),
  vouched: fc.boolean(),
})
type Sent = typeof event extends fc.Arbitrary<infer Event> ? Event : never

const change = fc.constantFrom(
  { status: 'resolved' as const },
  { status: 'resolved' as const, fixed_in: 'next' as const },
  { status: 'ignored' as const, ignore_until: { count: 2 } },
)
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never
/** Events that arrive at the same time, and what happens to the first issue afterwards. */
const round = fc.record({ events: fc.array(event, { minLength: 1, maxLength: 8 }), change: fc.option(change) })
/** More issues are collected in one. */
const NEW_ISSUES = 3

test('events that share a transaction leave what they leave one after the other', async () => {
  await using rig = await openRig()
  const store = createEventStore({ ...rig, newIssuesPerHour: NEW_ISSUES })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 5 }), async (rounds) => {
      const products = [await rig.newProduct(`T${(runs += 1)}`), await rig.newProduct(`S${runs}`)] as const
      for (const { events, change } of rounds) {
        rig.clock.now += minuteMs
        await Promise.all(events.map((one) => append(rig, store, products[0], one)))
        for (const one of events) await append(rig, store, products[1], one)
        for (const productId of products) await changeFirst(rig, productId, change)
      }
      const [together, apart] = [await stored(rig, products[0]), await stored(rig, products[1])]
      expect(together).toEqual(apart)
    }),
    { numRuns: tries(60) },
  )
})

function append(rig: Rig, store: IssueStore, productId: number, { vouched, ...sent }: Sent) {
  const { id, ago, inLibrary, inApp, function: name, user, ...rest } = sent
  const own = { function: name, filename: `src/${name}.ts`, lineno: 7, in_app: inApp }
  const library = { function: 'run', filename: 'node_modules/lib/run.js', lineno: 1, in_app: false }
  const frames = inLibrary ? [own, library] : [own]
  const json = {
    ...rest,
    user: user === undefined ? undefined : { id: user },
    timestamp: (rig.clock.now - ago) / 1000,
    platform: 'node',
    exception: { values: [{ type: 'Error', value: `${name} failed`, stacktrace: { frames } }] },
  }
  const event = normalise(json, { eventId: id, receivedAt: rig.clock.now, sizeBytes: 1000 })
  return store.append(productId, event, { vouched })
}

async function changeFirst(rig: Rig, productId: number, change: Change | null) {
  if (change === null) return
  const id = await rig.db.read
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', productId)
    .orderBy('number')
    .executeTakeFirstOrThrow()
  await rig.handlers.setIssueStatus({ ...id, ...change }, rig.call)
}

/** All rows that events write, with names for the ids of what they belong to. */
const queries = {
  issues: `SELECT number, title, type, value, culprit, level, status, first_seen, last_seen, times_seen, users_affected,
      is_regression, reopened_count, held_count, suspicious, handled, causes, corroboration,
      first_release.version AS first_release, last_release.version AS last_release
    FROM issue LEFT JOIN release AS first_release ON first_release.id = issue.first_release_id
    LEFT JOIN release AS last_release ON last_release.id = issue.last_release_id WHERE issue.product_id = ?`,
  hashes: `SELECT hash, number, issue_hash.vouched, dictionary_id IS NULL AS bare FROM issue_hash
    JOIN issue ON issue.id = issue_id WHERE issue_hash.product_id = ?`,
  occurrences: `SELECT number, timestamp, received_at, user_hash, level, release.version, environment.name, before_first_seen,
      before_last_seen, before_times_seen, occurrence.vouched, size_bytes, dictionary_id IS NULL AS bare,
      (SELECT count(*) FROM occurrence AS earlier WHERE earlier.issue_id = issue.id AND earlier.seq < occurrence.seq) AS earlier
    FROM occurrence JOIN issue ON issue.id = issue_id JOIN place ON place.id = place_id
    LEFT JOIN environment ON environment.id = place.environment_id LEFT JOIN release ON release.id = place.release_id
    WHERE occurrence.product_id = ?`,
  environments: 'SELECT name, origin, kind, last_event_at FROM environment WHERE product_id = ?',
  releases: `SELECT release.version, name, release.origin, event_count, first_event_at, release.last_event_at,
      vouched_at IS NULL AS strange FROM release JOIN environment ON environment.id = environment_id WHERE release.product_id = ?`,
  presence: `SELECT number, name, release.version, count, issue_presence.first_seen, issue_presence.last_seen FROM issue_presence
    JOIN issue ON issue.id = issue_id LEFT JOIN environment ON environment.id = issue_presence.environment_id
    LEFT JOIN release ON release.id = issue_presence.release_id WHERE issue.product_id = ?`,
  inEnvironments: `SELECT number, name, release.version, count, issue_environment.first_seen, issue_environment.last_seen
    FROM issue_environment JOIN issue ON issue.id = issue_id
    LEFT JOIN environment ON environment.id = issue_environment.environment_id
    LEFT JOIN release ON release.id = issue_environment.first_release_id WHERE issue.product_id = ?`,
  users: `SELECT number, name, user_hash, issue_user.last_seen FROM issue_user JOIN issue ON issue.id = issue_id
    LEFT JOIN environment ON environment.id = issue_user.environment_id WHERE issue.product_id = ?`,
  rollups: `SELECT number, resolution, bucket, name, release.version, count FROM occurrence_rollup
    JOIN issue ON issue.id = issue_id JOIN place ON place.id = place_id
    LEFT JOIN environment ON environment.id = place.environment_id LEFT JOIN release ON release.id = place.release_id
    WHERE issue.product_id = ?`,
  vouched: `SELECT number, vouched_issue.title, vouched_issue.level, vouched_issue.status, vouched_issue.times_seen,
      vouched_issue.last_seen, vouched_issue.held_count FROM vouched_issue JOIN issue ON issue.id = issue_id
    WHERE issue.product_id = ?`,
  activity: `SELECT name, bucket, count FROM activity JOIN environment ON environment.id = subject_id WHERE product_id = ?`,
}

const ids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

async function stored(rig: Rig, productId: number): Promise<Record<string, string[]>> {
  const answers: Record<string, string[]> = {}
  for (const [name, query] of Object.entries(queries)) {
    const [before, after] = query.split('?') as [string, string]
    const { rows } = await sql`${sql.raw(before)}${productId}${sql.raw(after)}`.execute(rig.db.read)
    answers[name] = rows.map((row) => JSON.stringify(row).replaceAll(ids, 'an id')).toSorted()
  }
  return answers
}
