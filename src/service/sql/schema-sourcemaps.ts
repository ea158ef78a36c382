import type { Generated } from 'kysely'

/** Rows of source maps. The conventions are those of schema.ts. */
export interface SourceMapSchema {
  sourcemap: SourceMapRow
  sourcemap_artifact: SourceMapArtifactRow
  sourcemap_source: { product_id: number; path: string; sourcemap_id: string }
  /** This and its parts: only where `Dialect.holdsFiles`. */
  stored_file: { folder: string; name: string; body: string; bytes: number; made_at: number }
  stored_file_part: { body: string; part: number; bytes: Uint8Array; made_at: number }
}

export interface SourceMapRow {
  id: string
  product_id: number
  state: string
  artifact: string
  release: Generated<string>
  dist: Generated<string>
  environment: Generated<string>
  file_name: string
  url_prefix: string
  debug_id: Generated<string>
  size_bytes: Generated<number>
  sha256: Generated<string>
  content_type: string
  files: Generated<string>
  error: string | null
  created_by: string
  created_at: number
  confirmed_at: number | null
  expires_at: number | null
  used_at: Generated<number | null>
}

export interface SourceMapArtifactRow {
  id: Generated<number>
  product_id: number
  sourcemap_id: string
  kind: string
  content: string
  debug_id: Generated<string>
  release: Generated<string>
  dist: Generated<string>
  path: string
  base_name: string
  counterpart: Generated<string>
}
