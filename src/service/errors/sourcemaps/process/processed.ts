import type { RepositoryRoots } from '../../../workspace/components/repo-path.ts'

/** One upload to be read, as it is sent to the worker: plain data only. */
export interface UploadJob {
  /** Where the received bytes are. */
  file: string
  artifact: string
  /** Relative, with `/`. */
  fileName: string
  /** Ends with `/`. */
  urlPrefix: string
  /** Debug id of the create request, for a single file; '' without one. */
  debugId: string
  /** Whether the upload names a release. Without one, files are found only by debug id. */
  hasRelease: boolean
  roots: RepositoryRoots
  /** Folder of the finished tables. */
  tables: string
  /** Folder on the same disk for tables that are being written; the caller that starts the job removes it. */
  staging: string
}

/** A member of `SourceMap.files` (contract §11). */
export interface FileReport {
  path: string
  kind: 'minified_source' | 'source_map' | 'source'
  debug_id: string
  sources: number
  has_sources_content: boolean
  sections: number
  valid: boolean
  warnings: string[]
}

/** Of a row of `sourcemap_artifact`. A source is a text that a map does not hold itself. */
export type ArtifactKind = 'map' | 'minified' | 'source'

/** A row of `sourcemap_artifact`, without the columns that all rows of the upload share. */
export interface ProcessedArtifact {
  kind: ArtifactKind
  content: string
  debugId: string
  path: string
  counterpart: string
}

export interface Processed {
  files: FileReport[]
  artifacts: ProcessedArtifact[]
  /** Sources of the maps as repository paths, without duplicates. */
  sources: string[]
  /** Why nothing in the upload can be used; null when something can. */
  error: { code: string; message: string; /** Of the format, when one is broken. */ rule?: string } | null
}

/** The upload as a whole cannot be used. The message is one sentence without text of the upload. */
export class UploadDefect extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'UploadDefect'
    this.code = code
  }
}
