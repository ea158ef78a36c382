import * as z from 'zod'
import {
  accept,
  Etag,
  Id,
  IdOrEmpty,
  NamedRef,
  prefixed,
  ProductId,
  RequestId,
  Timestamp,
  TimestampInput,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { VerdictStatus } from './quality-gate/policy.ts'
import { team, untrusted } from './base/text.ts'

export const EnvironmentKind = prefixed('ENVIRONMENT_KIND', [
  'PRODUCTION',
  'STAGING',
  'TEST',
  'DEVELOPMENT',
  'PREVIEW',
  'OTHER',
])
export const Origin = prefixed('ORIGIN', ['MANUAL', 'EVENT', 'RELEASE', 'TEST_RUN', 'SERVER_KEY'])

// oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
const printable = /^[^\u0000-\u001f\u007f-\u009f]*$/

/** No control characters: the name is shown on one line everywhere. */
const oneLineOrEmpty = (max: number) => z.string().trim().max(max).regex(printable, 'no control characters')
const oneLine = (max: number) => oneLineOrEmpty(max).min(1)
const noSlash = 'it holds a "/"; write "-", as in the names that events give'
const EnvironmentName = oneLine(64).regex(/^[^/]*$/, noSlash)

/** The name of an environment where one may be left out: the same rule (contract §6), and empty counts as absent. */
export const EnvironmentNameOrEmpty = oneLineOrEmpty(64).regex(/^[^/]*$/, noSlash)
/** The version of a release where one may be left out. */
export const VersionOrEmpty = oneLineOrEmpty(250)

export const Environment = z.object({
  id: Id,
  product_id: ProductId,
  name: untrusted(z.string()),
  known: z
    .boolean()
    .describe(
      'True if a member, a source map, an event with a server key or a usual name vouches for it; false if only other events and test runs named it.',
    ),
  kind: EnvironmentKind,
  exposure_weight: z.number(),
  description: team(z.string()),
  origin: Origin,
  latest_release: z.object({ id: Id, version: untrusted(z.string()), known: z.boolean() }).nullable(),
  last_event_at: Timestamp.nullable(),
  events_24h: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Etag,
})

export const createEnvironment = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/environments',
  summary: 'Create an environment, or adopt one that only events have named so far.',
  input: {
    product_id: ProductId,
    name: EnvironmentName,
    kind: accept(EnvironmentKind).optional(),
    exposure_weight: z.number().min(0).max(10).optional(),
    description: z.string().max(2000).optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { environment: Environment },
  fails: ['invalid_argument', 'not_found', 'already_exists'],
})

export const listEnvironments = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/environments',
  summary: 'Environments of a product.',
  input: { product_id: ProductId, kind: accept(EnvironmentKind).optional(), name: z.string().optional(), ...paging },
  returns: { ...list('environments', Environment) },
  fails: ['not_found'],
})

export const getEnvironment = endpoint({
  method: 'GET',
  path: '/v1/environments/{id}',
  summary: 'One environment.',
  input: { id: Id },
  returns: { environment: Environment },
  fails: ['not_found'],
})

export const deleteEnvironment = endpoint({
  method: 'DELETE',
  path: '/v1/environments/{id}',
  summary: 'Delete an environment; occurrences keep its name, and the next event with that name creates it again.',
  input: { id: Id, etag: Etag.optional() },
  fails: ['not_found', 'aborted'],
})

export const Release = z.object({
  id: Id,
  product_id: ProductId,
  version: untrusted(z.string()),
  known: z.boolean(),
  environment: untrusted(z.string()),
  environment_known: z.boolean(),
  environment_id: IdOrEmpty,
  commit_sha: untrusted(z.string()),
  git_branch: untrusted(z.string()),
  url: team(z.string()),
  notes: team(z.string()),
  released_at: Timestamp.nullable(),
  predecessor_id: IdOrEmpty.describe('The release of the same package before it in the order of its environment.'),
  sequence: z.int(),
  origin: Origin,
  counts: z.object({ new_issues: z.int(), regressed_issues: z.int(), events: z.int(), source_maps: z.int() }),
  first_event_at: Timestamp.nullable(),
  last_event_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Etag,
})

export const upsertRelease = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/releases',
  summary: 'Create or update the release of a version in an environment; product, environment and version identify it.',
  input: {
    product_id: ProductId,
    version: oneLine(250),
    environment: EnvironmentName,
    commit_sha: z.string().max(64).optional(),
    git_branch: z.string().max(250).optional(),
    url: z.string().max(2000).optional(),
    notes: z.string().max(20_000).optional(),
    released_at: TimestampInput.optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { release: Release, created: z.boolean() },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found'],
})

export const listReleases = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/releases',
  summary: 'Releases of a product, newest first.',
  input: {
    product_id: ProductId,
    environment: z.string().optional(),
    environment_id: Id.optional(),
    version: z.string().optional(),
    sort: z.enum(['released_at']).optional(),
    ...paging,
  },
  returns: { ...list('releases', Release) },
  fails: ['not_found'],
})

export const getRelease = endpoint({
  method: 'GET',
  path: '/v1/releases/{id}',
  summary: 'One release with its predecessor and its newest verdict.',
  input: { id: Id },
  returns: {
    release: Release,
    previous: NamedRef.nullable(),
    verdict: z.object({ id: Id, status: VerdictStatus, computed_at: Timestamp }).nullable(),
  },
  fails: ['not_found'],
})
