import type { Untrusted } from '../../contract/base/text.ts'
import { teamText } from '../text/team.ts'
import { knownName } from '../text/untrusted.ts'
import type { Environment, Release, Resolver } from './types.ts'

/** What a caller names of the gate's scope: a version and an environment. */
export interface NamedScope {
  release?: string | undefined
  environment?: string | undefined
}

export interface Judged {
  release: Release | undefined
  environment: Environment | undefined
}

/** The release and environment of these names; rejects like `Resolver.environment` and `Resolver.judgedRelease`. */
export async function resolveJudged(
  { release: version, environment: name }: NamedScope,
  productId: string,
  resolve: Pick<Resolver, 'environment' | 'judgedRelease'>,
): Promise<Judged> {
  const environment = name === undefined ? undefined : await resolve.environment(productId, name)
  const release = version === undefined ? undefined : await resolve.judgedRelease(productId, version, environment?.id)
  return { release, environment }
}

/** Returns what to call something that the caller named; undefined to call it by its id. */
export type Naming = (
  given: string,
  name: Untrusted<string> | undefined,
  known: boolean | undefined,
) => string | undefined

const forPeople: Naming = (given, name, known) => knownName(name, known) ?? teamText(given)

/**
 * `release 1.4.1 in production`, `release 1.4.1, environment ci`: what the gate judges. Without an environment in the
 * request, that of the release is judged. People see a name that nobody vouches for as they wrote it themselves.
 */
export function judgedWords({ release, environment }: Judged, given: NamedScope, naming = forPeople): string[] {
  const place = environment === undefined ? knownName(release?.environment, release?.environment_known) : undefined
  const version = release && (naming(given.release ?? '', release.version, release.known) ?? release.id)
  const name = environment && (naming(given.environment ?? '', environment.name, environment.known) ?? environment.id)
  return [
    ...(version === undefined ? [] : [`release ${version}${place === undefined ? '' : ` in ${place}`}`]),
    ...(name === undefined ? [] : [`environment ${name}`]),
  ]
}
