import { teamText } from '../text/team.ts'
import { knownName } from '../text/untrusted.ts'
import type { Environment, Release } from './types.ts'

/**
 * `release 1.4.1 in production`, `release 1.4.1, environment ci`: what the gate judges, in words for people. Without an
 * environment in the request, that of the release is judged. A name that no member gave is shown as it was given here.
 */
export function judgedWords(
  release: Release | undefined,
  environment: Environment | undefined,
  given: { release?: string | undefined; environment?: string | undefined },
): string[] {
  const version = release && (knownName(release.version, release.known) ?? teamText(given.release ?? release.id))
  const place = environment === undefined ? knownName(release?.environment, release?.environment_known) : undefined
  const name =
    environment && (knownName(environment.name, environment.known) ?? teamText(given.environment ?? environment.id))
  return [
    ...(version === undefined ? [] : [`release ${version}${place === undefined ? '' : ` in ${place}`}`]),
    ...(name === undefined ? [] : [`environment ${name}`]),
  ]
}
