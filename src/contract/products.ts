import * as z from 'zod'
import {
  accept,
  Etag,
  Hash,
  Id,
  Key,
  prefixed,
  ProductId,
  RequestId,
  Sentence,
  Timestamp,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging, scopes } from './base/endpoint.ts'
import { GatePolicy, GatePolicyInput } from './quality-gate/policy.ts'
import { team, trusted, untrusted } from './base/text.ts'

export const Step = prefixed('ONBOARDING_STEP', [
  'CREATE_PRODUCT',
  'SEND_EVENT',
  'ADD_REQUIREMENT',
  'INGEST_TESTS',
  'LINK_TEST',
  'COMPUTE_GATE',
])

export const Onboarding = z.object({
  completed_steps: z.array(Step),
  pending_steps: z.array(Step),
  dismissed: z.boolean(),
  updated_at: Timestamp.nullable(),
})

export const WorkspaceRole = prefixed('WORKSPACE_ROLE', ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'])

export const User = z.object({
  id: Id,
  email: team(z.string()),
  display_name: team(z.string()),
  created_at: Timestamp,
  workspaces: z.array(z.object({ id: Id, slug: Key, name: team(z.string()), role: WorkspaceRole })),
})

/** Who holds a token: a person, an agent, or a CI system. */
export const TokenKind = z.enum(['person', 'agent', 'ci'])

export const Token = z.object({
  id: Id,
  name: team(z.string()),
  kind: TokenKind,
  scopes: z.array(z.enum(scopes)),
  workspace_ids: z.array(Id),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
})

export const Server = z.object({
  name: Key,
  version: Key,
  mode: z.enum(['embedded', 'remote']),
  api_version: Key,
})

export const getMe = endpoint({
  method: 'GET',
  path: '/v1/auth/me',
  summary: 'The user and the token behind the request, onboarding state and server version.',
  returns: { user: User, token: Token, onboarding: Onboarding, server: Server },
})

export const updateOnboarding = endpoint({
  method: 'PUT',
  path: '/v1/auth/onboarding',
  summary: 'Add completed onboarding steps or dismiss onboarding; steps are never removed.',
  input: {
    onboarding: z.object({ completed_steps: z.array(accept(Step)).optional(), dismissed: z.boolean().optional() }),
  },
  returns: { onboarding: Onboarding },
  fails: ['invalid_argument'],
})

export const Workspace = z.object({
  id: Id,
  slug: Key,
  name: team(z.string()),
  role: WorkspaceRole,
  product_count: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const listWorkspaces = endpoint({
  method: 'GET',
  path: '/v1/workspaces',
  summary: 'Workspaces that the token can see.',
  input: { ...paging },
  returns: { ...list('workspaces', Workspace) },
})

export const Repository = z.object({
  url: team(z.string()),
  default_branch: team(z.string()),
  root_path: team(z.string()),
  path_strip_prefixes: z.array(team(z.string())),
  test_globs: z.array(team(z.string())),
})

export const ProductSettings = z.object({
  reopen_on_regression: z.boolean(),
  auto_create_environments: z.boolean(),
  single_user_approval: z
    .array(team(z.string()))
    .describe('Environments in which the person who accepts a risk may also approve it; `*` = everywhere.'),
  retention_days: z.int(),
  max_events_per_issue: z.int(),
})

const Address = trusted(z.string())

export const SetupState = prefixed('SETUP_STATE', ['INCOMPLETE', 'COMPLETE'])

export const Product = z.object({
  id: ProductId,
  workspace_id: Id,
  slug: Key,
  name: team(z.string()),
  description: team(z.string()),
  key_prefix: Key,
  repository: Repository,
  gate_policy: GatePolicy,
  settings: ProductSettings,
  ingest: z.object({ dsn: Address, public_key: Hash, envelope_url: Address, store_url: Address }),
  setup_state: SetupState,
  counts: z.object({
    requirements: z.int(),
    tests: z.int(),
    components: z.int(),
    environments: z.int(),
    releases: z.int(),
    unresolved_issues: z.int(),
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Etag,
})

export const createProduct = endpoint({
  method: 'POST',
  path: '/v1/workspaces/{workspace_id}/products',
  summary: 'Create a product with a main requirement tree, the default gate policy and one DSN key.',
  input: {
    workspace_id: Id,
    name: z.string().trim().min(1).max(80),
    slug: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'lower-case words joined by dashes')
      .max(80)
      .optional(),
    description: z.string().max(2000).optional(),
    key_prefix: z
      .string()
      .regex(/^[A-Z][A-Z0-9]{1,9}$/, '2 to 10 capitals or digits, a capital first')
      .optional(),
    repository: Repository.partial().optional(),
    gate_policy: GatePolicyInput.optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { product: Product },
  fails: ['invalid_argument', 'not_found', 'already_exists'],
})

export const listProducts = endpoint({
  method: 'GET',
  path: '/v1/workspaces/{workspace_id}/products',
  summary: 'Products of a workspace by name.',
  input: { workspace_id: Id, slug: z.string().optional(), ...paging },
  returns: { ...list('products', Product) },
  fails: ['not_found'],
})

export const SetupCheckStatus = prefixed('SETUP_CHECK_STATUS', ['OK', 'MISSING', 'WARNING', 'NOT_APPLICABLE'])

export const SetupCheck = z.object({
  id: z.enum([
    'repository_configured',
    'components_mapped',
    'requirements_present',
    'acceptance_criteria_present',
    'tests_ingested',
    'tests_linked',
    'environment_present',
    'release_present',
    'event_received',
    'source_maps_ready',
    'gate_computed',
  ]),
  title: Sentence,
  status: SetupCheckStatus,
  detail: Sentence,
  remediation: Sentence,
  /** Untrusted as a whole: it may contain the SDK name that an event claims. */
  evidence: untrusted(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
  checked_at: Timestamp,
})

export const Setup = z.object({
  product_id: ProductId,
  state: SetupState,
  checks: z.array(SetupCheck),
  completed_checks: z.int(),
  total_checks: z.int(),
  next_action: Sentence,
  verified_at: Timestamp,
})

export const verifySetup = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/setup:verify',
  summary: 'Check what a product still needs and store its setup state.',
  input: { product_id: ProductId, request_id: RequestId.optional() },
  returns: { setup: Setup },
  retry: 'idempotent',
  fails: ['not_found'],
})
