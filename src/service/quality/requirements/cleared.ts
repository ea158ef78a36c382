import type { InputOf } from '../../../contract/index.ts'
import { membersToSet } from '../../shared/clearing.ts'
import type { RequirementFields } from './write.ts'

type Update = InputOf<'updateRequirement'>
type Members = Omit<Update, 'id' | 'update_mask' | 'branch_id' | 'etag' | 'minor_change'>

/** What `null` makes of each member (contract §3: null clears): what a new requirement has. */
const cleared = {
  kind: 'REQUIREMENT_KIND_FUNCTIONAL',
  status: 'REQUIREMENT_STATUS_DRAFT',
  statement: '',
  rationale: '',
  normative: true,
  acceptance_criteria: [],
  priority: 'PRIORITY_MEDIUM',
  risk: 'RISK_LEVEL_MEDIUM',
  tags: [],
  labels: {},
  component_ids: [],
  code_refs: [],
  depends_on_ids: [],
  external_refs: [],
  source: {},
  parent_id: '',
  position: 'end',
} as const satisfies { [K in keyof Omit<Members, 'title'>]-?: unknown }

/** The members of an update that are to be set: absent = unchanged, null = cleared, and only those of `update_mask`. */
export function updatedFields(input: Update): RequirementFields {
  // The members are the contract's, and what clears one is of its type.
  return membersToSet(input, cleared) as RequirementFields
}
