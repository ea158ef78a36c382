/** The rules of ECMA-426 that a text can break, named after the member or the part of `mappings` they are about. */
export type DefectRule =
  | 'json'
  | 'object'
  | 'version'
  | 'file'
  | 'source-root'
  | 'sources'
  | 'sources-content'
  | 'names'
  | 'ignore-list'
  | 'mappings'
  | 'sections'
  | 'sections-and-mappings'
  | 'nested-sections'
  | 'section-offset'
  | 'section-order'
  | 'section-overlap'
  | 'section-map'
  | 'vlq-character'
  | 'vlq-continuation'
  | 'vlq-range'
  | 'segment-length'
  | 'generated-column'
  | 'source-index'
  | 'original-line'
  | 'original-column'
  | 'name-index'
  | 'position-range'
  | 'unordered-line'

/**
 * Says why a text is not a source map. The message is one sentence that names the member or the segment and repeats at
 * most one character of the text, so that it may be shown to the uploader.
 */
export class SourceMapDefect extends Error {
  override readonly name = 'SourceMapDefect'
  readonly rule: DefectRule

  constructor(rule: DefectRule, message: string) {
    super(message)
    this.rule = rule
  }
}
