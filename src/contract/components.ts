import * as z from 'zod'
import {
  accept,
  Etag,
  Id,
  IdOrEmpty,
  Key,
  Position,
  prefixed,
  ProductId,
  RequestId,
  RiskLevel,
  Timestamp,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { team } from './base/text.ts'

export const OwnerKind = prefixed('OWNER_KIND', ['USER', 'TEAM', 'EMAIL'])

export const Component = z.object({
  id: Id,
  product_id: ProductId,
  parent_id: IdOrEmpty,
  name: team(z.string()),
  slug: Key,
  description: team(z.string()),
  path_globs: z.array(team(z.string())),
  exclude_globs: z.array(team(z.string())),
  owners: z.array(z.object({ kind: OwnerKind, ref: team(z.string()) })),
  criticality: RiskLevel,
  position: z.int(),
  tags: z.array(team(z.string())),
  stats: z.object({
    unresolved_issues: z.int(),
    events_7d: z.int(),
    requirements: z.int(),
    coverage_ratio: z.number(),
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Etag,
})

const Glob = z.string().min(1).max(500)

export const createComponent = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/components',
  summary: 'Create a component that owns files by glob; unresolved issues are attributed again.',
  input: {
    product_id: ProductId,
    name: z.string().trim().min(1).max(120),
    description: z.string().max(2000).optional(),
    path_globs: z.array(Glob).min(1).max(100),
    exclude_globs: z.array(Glob).max(100).optional(),
    owners: z
      .array(z.object({ kind: accept(OwnerKind), ref: z.string().min(1).max(200) }))
      .max(50)
      .optional(),
    criticality: accept(RiskLevel).optional(),
    parent_id: Id.optional(),
    position: Position.optional(),
    tags: z.array(z.string().min(1).max(60)).max(50).optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { component: Component, overlaps: z.array(z.object({ component_id: Id, glob: team(z.string()) })) },
  fails: ['invalid_argument', 'not_found', 'already_exists'],
  reasons: ['GLOB_INVALID'],
})

export const listComponents = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/components',
  summary: 'Components of a product, or those that own a path.',
  input: {
    product_id: ProductId,
    path: z.string().optional().describe('Components that own this file.'),
    q: z.string().optional(),
    ...paging,
  },
  returns: { ...list('components', Component) },
  fails: ['not_found'],
})
