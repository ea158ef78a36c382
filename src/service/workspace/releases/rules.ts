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

/** Where names come from that nobody vouches for: events, and the runs of tests, which may be of anyone's branch. */
const unvouched: ReadonlySet<string> = new Set(['ORIGIN_EVENT', 'ORIGIN_TEST_RUN'] satisfies RecordOrigin[])

/** The SQL of `isKnownRelease`, as the partial index `release_known` has it. */
export const knownOrigin = "origin NOT IN ('ORIGIN_EVENT', 'ORIGIN_TEST_RUN')"

/** Whether a member takes over a name that so far nobody vouched for (contract §6). */
export function adopts(before: { origin: string }, origin: RecordOrigin): boolean {
  return unvouched.has(before.origin) && !unvouched.has(origin)
}

/**
 * Whether anyone other than the sender of events or test reports vouches for the name (contract §6, mcp §6.3). Only a whole
 * usual name counts: anything may follow a usual first word.
 */
export function isKnownEnvironment(environment: { name: string; origin: string }): boolean {
  return !unvouched.has(environment.origin) || kindByName.has(nameKey(environment.name))
}

/** The same for a release: a member created or named it. */
export function isKnownRelease(release: { origin: string }): boolean {
  return !unvouched.has(release.origin)
}
