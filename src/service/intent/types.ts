import type * as z from 'zod'
import type { Priority } from '../../contract/base/common.ts'
import type { DocumentMediaType, LineUse, Modality, Pattern } from '../../contract/distill.ts'
import type { CriterionKind, LintCode, RequirementKind } from '../../contract/requirements.ts'

export interface SourceDocument {
  name: string
  content: string
  uri: string
  mediaType: z.output<typeof DocumentMediaType> | undefined
}

export interface DraftCriterion {
  kind: z.output<typeof CriterionKind>
  text: string
  given: string
  when: string
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  then: string
}

/** A requirement found in a text, before it is compared with those that exist. */
export interface Candidate {
  /** 1, 2, … in the order of documents and lines. */
  ordinal: number
  /** At most 120 characters, in the words of the statement. */
  title: string
  statement: string
  criteria: readonly DraftCriterion[]
  pattern: z.output<typeof Pattern>
  modality: z.output<typeof Modality>
  kind: z.output<typeof RequirementKind>
  priority: z.output<typeof Priority>
  /** Between 0 and 1. */
  confidence: number
  /** Gherkin tags that are not keys of requirements. */
  tags: readonly string[]
  /** Keys of requirements that the text names, such as REQ-12, in their order. */
  keys: readonly string[]
  /** Whether the text says that a requirement no longer holds. */
  retires: boolean
  /** Titles of the sections around it, outermost first. */
  headings: readonly string[]
  source: {
    /** Index of the document. */
    document: number
    /** The first and the last line, counted from 1. */
    lineStart: number
    lineEnd: number
    /** The text itself. */
    quote: string
  }
  lint: readonly { code: z.output<typeof LintCode>; term: string; message: string }[]
}

/** What became of consecutive lines of a document. */
export interface LineRange {
  /** Index of the document. */
  document: number
  lineStart: number
  lineEnd: number
  use: z.output<typeof LineUse>
  /** Of the candidate; 0 for context and skipped lines. */
  ordinal: number
  /** Why the lines were skipped; else empty. */
  reason: string
}

export interface Reading {
  candidates: readonly Candidate[]
  /** Every line with text, in order and without overlaps. */
  lines: readonly LineRange[]
  sentences: number
  /** What was left out because of a limit. */
  cuts: readonly { what: string; kept: number; total: number }[]
}
