import * as z from 'zod'
import {
  accept,
  Actor,
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
import { endpoint } from './base/endpoint.ts'
import { team, trusted, untrusted } from './base/text.ts'
import { EnvironmentNameOrEmpty } from './environments.ts'

export const SourceMapState = prefixed('SOURCEMAP_STATE', [
  'PENDING_UPLOAD',
  'UPLOADED',
  'PROCESSING',
  'READY',
  'FAILED',
  'EXPIRED',
])
export const Artifact = prefixed('ARTIFACT', ['BUNDLE', 'SOURCE_MAP', 'MINIFIED_SOURCE', 'SOURCE'])

/** Largest upload (contract §11). */
export const maxUploadBytes = 268_435_456

export const SourceMap = z.object({
  id: Id,
  product_id: ProductId,
  state: SourceMapState,
  artifact: Artifact,
  release: untrusted(z.string()),
  release_known: z.boolean(),
  dist: team(z.string()),
  environment: untrusted(z.string()),
  environment_known: z.boolean(),
  file_name: team(z.string()),
  url_prefix: team(z.string()),
  debug_id: Hash,
  size_bytes: z.int(),
  sha256: Hash,
  content_type: team(z.string()),
  files: z.array(
    z.object({
      path: team(z.string()),
      kind: z.enum(['minified_source', 'source_map', 'source']),
      debug_id: Hash,
      sources: z.int().describe('Number of sources in the map.'),
      has_sources_content: z.boolean(),
      sections: z.int().describe('Number of sections of an index map.'),
      valid: z.boolean(),
      warnings: z.array(Sentence),
    }),
  ),
  error: z.object({ code: Key, message: Sentence }).nullable(),
  created_by: Actor,
  created_at: Timestamp,
  confirmed_at: Timestamp.nullable(),
  expires_at: Timestamp.nullable(),
})

const Sha256 = z.string().regex(/^[0-9a-fA-F]{64}$/, '64 hexadecimal characters')
const SizeBytes = z.int().min(0).max(maxUploadBytes)

export const createSourceMap = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/sourcemaps',
  summary: 'Create an upload address for a source map, a minified file or a zip bundle of them.',
  input: {
    product_id: ProductId,
    file_name: z.string().min(1).max(500),
    artifact: accept(Artifact).optional().describe('Default: derived from the extension of file_name.'),
    release: z.string().trim().max(250).optional(),
    dist: z.string().trim().max(64).optional(),
    environment: EnvironmentNameOrEmpty.optional(),
    debug_id: z
      .string()
      .regex(/^[0-9a-fA-F-]{32,36}$/, '32 hexadecimal digits, dashes allowed')
      .optional(),
    url_prefix: z.string().max(500).optional().describe('Default "~/".'),
    size_bytes: SizeBytes.optional(),
    sha256: Sha256.optional(),
    content_type: z.string().max(120).optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: {
    sourcemap: SourceMap,
    upload_url: trusted(z.string()).describe('Empty when the same bytes are already READY.'),
    upload_method: z.literal('PUT'),
    upload_headers: trusted(z.record(z.string(), z.string())).describe(
      'Must be sent unchanged; do not send a bearer token.',
    ),
    max_size_bytes: z.int(),
    expires_at: Timestamp,
  },
  fails: ['invalid_argument', 'not_found'],
})

export const confirmSourceMap = endpoint({
  method: 'POST',
  path: '/v1/sourcemaps/{id}:confirm',
  summary: 'Check and index an upload; frames of open issues are symbolicated again.',
  input: { id: Id, sha256: Sha256.optional(), size_bytes: SizeBytes.optional(), request_id: RequestId.optional() },
  returns: { sourcemap: SourceMap, resymbolicated_issues: z.int(), limits_warning: Sentence },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['UPLOAD_MISSING', 'CHECKSUM_MISMATCH', 'INVALID_SOURCE_MAP'],
})
