import { knownName } from '../text/untrusted.ts'
import type { Environment, Release } from './types.ts'

/**
 * `release 1.4.1 in production`, `release 1.4.1, environment ci`: what the gate judges, in words for people. Without an
 * environment in the request, that of the release is judged. A name that no member gave is shown by its id.
 */
export function judgedWords(release: Release | undefined, environment: Environment | undefined): string[] {
  const version = release && (knownName(release.version, release.known) ?? release.id)
  const place = environment === undefined ? knownName(release?.environment, release?.environment_known) : undefined
  return [
    ...(version === undefined ? [] : [`release ${version}${place === undefined ? '' : ` in ${place}`}`]),
    ...(environment ? [`environment ${knownName(environment.name, environment.known) ?? environment.id}`] : []),
  ]
}
