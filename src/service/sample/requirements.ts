import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Priority, RiskLevel } from '../../contract/base/common.ts'
import { CriterionKind, RequirementKind, RequirementSource, RequirementStatus } from '../../contract/requirements.ts'
import { recordingUrl } from './recording.ts'

/** The file of the requirements that the recorder read from the documents of the shop. */
export const requirementsUrl = new URL('./requirements.json', recordingUrl)

/** A requirement as it is posted, with keys and slugs instead of ids, which differ between products. */
export const SampleRequirement = z.strictObject({
  /** The key that the service gives it: in the order of the list, from REQ-1. */
  key: z.string(),
  /** Key of the group around it, '' at the top. */
  parent: z.string(),
  /** Slug of its component, '' for none. */
  component: z.string(),
  kind: RequirementKind,
  status: RequirementStatus,
  title: z.string(),
  statement: z.string(),
  rationale: z.string(),
  priority: Priority,
  risk: RiskLevel,
  acceptance_criteria: z.array(
    z.strictObject({
      kind: CriterionKind,
      text: z.string().optional(),
      given: z.string().optional(),
      when: z.string().optional(),
      // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
      then: z.string().optional(),
    }),
  ),
  code_refs: z.array(z.strictObject({ path: z.string() })),
  source: z.strictObject({
    kind: RequirementSource,
    uri: z.string(),
    line_start: z.int(),
    line_end: z.int(),
    quote: z.string(),
  }),
})
export type SampleRequirement = z.infer<typeof SampleRequirement>

/** The requirements of the sample shop, groups before what is in them. */
export async function readRequirements(file: URL = requirementsUrl): Promise<SampleRequirement[]> {
  return z.array(SampleRequirement).parse(JSON.parse(await readFile(file, 'utf8')))
}
