import type * as z from 'zod'
import type { EnvironmentKind } from './environments.ts'

/** The usual names: the kind is guessed from them, and an environment that has one is known (contract §6). */
export const usualNames: Readonly<
  Record<Exclude<z.output<typeof EnvironmentKind>, 'ENVIRONMENT_KIND_OTHER'>, readonly string[]>
> = {
  ENVIRONMENT_KIND_PRODUCTION: ['production', 'prod', 'prd', 'live'],
  ENVIRONMENT_KIND_STAGING: [
    'staging',
    'stage',
    'stg',
    'preprod',
    'pre-prod',
    'preproduction',
    'pre-production',
    'uat',
  ],
  ENVIRONMENT_KIND_TEST: ['test', 'testing', 'tests', 'qa', 'ci', 'e2e', 'integration'],
  ENVIRONMENT_KIND_DEVELOPMENT: ['development', 'develop', 'dev', 'local', 'localhost'],
  ENVIRONMENT_KIND_PREVIEW: ['preview', 'review', 'canary', 'beta'],
}
