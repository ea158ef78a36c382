import * as z from 'zod'
import type { Requirement } from '../../../contract/requirements.ts'
import { readJson } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'

/** Schemas of the JSON columns of `requirement`: `write.ts` writes them, and readers parse them. */

export type RequirementBody = z.input<typeof Requirement>
export type Criterion = RequirementBody['acceptance_criteria'][number]
export type StoredCodeRef = RequirementBody['code_refs'][number]

const Text = z.string()

export const Criteria: z.ZodType<Criterion[]> = z.array(
  z.object({
    id: Text,
    position: z.int(),
    kind: z.enum(['CRITERION_KIND_RULE', 'CRITERION_KIND_GIVEN_WHEN_THEN']),
    text: Text,
    given: Text,
    when: Text,
    // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
    then: Text,
  }),
)

export const CodeRefs: z.ZodType<StoredCodeRef[]> = z.array(
  z.object({
    path: Text,
    symbol: Text,
    start_line: z.int(),
    end_line: z.int(),
    source: z.enum([
      'CODE_REF_SOURCE_DECLARED',
      'CODE_REF_SOURCE_MARKER',
      'CODE_REF_SOURCE_COVERAGE',
      'CODE_REF_SOURCE_INFERRED',
    ]),
    confidence: z.number(),
  }),
)

export const Source: z.ZodType<RequirementBody['source']> = z.object({
  kind: z.enum([
    'REQUIREMENT_SOURCE_MANUAL',
    'REQUIREMENT_SOURCE_DISTILL',
    'REQUIREMENT_SOURCE_IMPORT',
    'REQUIREMENT_SOURCE_AGENT',
  ]),
  uri: Text,
  line_start: z.int(),
  line_end: z.int(),
  quote: Text,
  agent_run_id: Text,
})

export const LabelColumn = z.record(Text, Text)
export const ExternalRefs = z.array(z.object({ system: Text, key: Text, url: Text }))

/** Parses an actor from a JSON column. */
export function parseActor(json: string): z.output<typeof StoredActor> {
  return readJson(StoredActor, json)
}
