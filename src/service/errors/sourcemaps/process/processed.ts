import type { RepositoryRoots } from '../../../workspace/repo-path.ts'

/** One upload to be read, as it travels to the worker: plain data only. */
export interface UploadJob {
  /** Where the received bytes are. */
  file: string
  artifact: string
  /** Relative, with `/`. */
  fileName: string
  /** Ends with `/`. */
  urlPrefix: string
  /** Of the create request, for a single file; '' without. */
  debugId: string
  /** Does the upload name a release? Without one only a debug id leads to a file. */
  hasRelease: boolean
  roots: RepositoryRoots
  /** Folder of the finished tables. */
  tables: string
  /** Folder on the same disk for tables that are being written; whoever starts the job removes it. */
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

/** A row of `sourcemap_artifact`, without what all rows of the upload share. */
export interface ProcessedArtifact {
  kind: 'map' | 'minified'
  content: string
  debugId: string
  path: string
  counterpart: string
}

export interface Processed {
  files: FileReport[]
  artifacts: ProcessedArtifact[]
  /** Sources of the maps as paths of the repository, each once. */
  sources: string[]
  /** Why nothing of the upload can be used; null when something can. */
  error: { code: string; message: string; /** Of the format, when one is broken. */ rule?: string } | null
}

/** The upload as a whole cannot be used. The message is one sentence of our own, without text of the upload. */
export class UploadDefect extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'UploadDefect'
    this.code = code
  }
}
