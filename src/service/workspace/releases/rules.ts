import type * as z from 'zod'
import { usualNames } from '../../../contract/environment-names.ts'
import type { EnvironmentKind, Origin } from '../../../contract/environments.ts'

export type EnvironmentKindName = z.output<typeof EnvironmentKind>
export type RecordOrigin = z.output<typeof Origin>

/** The environment of events that do not name one (Sentry's default, contract §6). */
export const defaultEnvironmentName = 'production'

const kindByName = new Map<string, EnvironmentKindName>()
for (const kind of Object.keys(usualNames) as (keyof typeof usualNames)[])
  for (const name of usualNames[kind]) kindByName.set(name, kind)

const weights: Readonly<Record<EnvironmentKindName, number>> = {
  ENVIRONMENT_KIND_PRODUCTION: 1,
  ENVIRONMENT_KIND_STAGING: 0.4,
  ENVIRONMENT_KIND_TEST: 0.1,
  ENVIRONMENT_KIND_DEVELOPMENT: 0.05,
  ENVIRONMENT_KIND_PREVIEW: 0.1,
  ENVIRONMENT_KIND_OTHER: 0.5,
}

/** The key that all spellings of an environment's name share: names are unique case-insensitively (contract §6). */
export function nameKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}

/** The kind guessed from a usual name, or from the first word of a longer one (`prod-eu-1`); OTHER without a guess. */
export function guessKind(name: string): EnvironmentKindName {
  const key = nameKey(name)
  return kindByName.get(key) ?? kindByName.get(key.split(/[-_.:\s]/)[0] ?? '') ?? 'ENVIRONMENT_KIND_OTHER'
}

/** Whether an issue can be new for the quality gate in an environment of that kind (contract §10.6). */
export function isExposed({ kind }: { kind: string }): boolean {
  return kind === 'ENVIRONMENT_KIND_PRODUCTION' || kind === 'ENVIRONMENT_KIND_STAGING'
}

/** Default `exposure_weight` of a kind (contract §6). */
export function defaultWeight(kind: EnvironmentKindName): number {
  return weights[kind]
}

/** How far a name can be trusted by where it comes from: nobody vouches for it, a server key does, a member or token gave it. */
const trust = new Map<string, number>(
  Object.entries({
    ORIGIN_EVENT: 0,
    // Tests may be of anyone's branch.
    ORIGIN_TEST_RUN: 0,
    ORIGIN_SERVER_KEY: 1,
    ORIGIN_RELEASE: 2,
    ORIGIN_MANUAL: 2,
  } satisfies Record<RecordOrigin, number>),
)

function trusted(origin: string): number {
  return trust.get(origin) ?? 2
}

/** The SQL of `isRecordedRelease`; the first part is that of the partial index `release_known`. */
export const recordedOrigin = "origin NOT IN ('ORIGIN_EVENT', 'ORIGIN_TEST_RUN') AND origin <> 'ORIGIN_SERVER_KEY'"

/** Whether a sender who can be trusted more takes over a name (contract §6). */
export function adopts(before: { origin: string }, origin: RecordOrigin): boolean {
  return trusted(origin) > trusted(before.origin)
}

/**
 * Whether anyone other than senders with a public key and of test reports vouches for the name (contract §6, mcp §6.3). Only
 * a whole usual name counts: anything may follow a usual first word.
 */
export function isKnownEnvironment(environment: { name: string; origin: string }): boolean {
  return trusted(environment.origin) > 0 || kindByName.has(nameKey(environment.name))
}

/** The same for a release. */
export function isKnownRelease(release: { origin: string }): boolean {
  return trusted(release.origin) > 0
}

/** A member or a token recorded the release, so that its place among the others is known (decision 128). */
export function isRecordedRelease(release: { origin: string }): boolean {
  return trusted(release.origin) > 1
}

/** Takes back what runs of tests said of a release when it becomes a recorded one: nobody vouches for it (contract §6). */
export const unvouchedDetails = { commit_sha: '', git_branch: '' }
