import type { InputOf } from '../../../contract/index.ts'
import { membersToSet } from '../../shared/clearing.ts'
import type { RequirementFields } from './write.ts'

type Update = InputOf<'updateRequirement'>
type Members = Omit<Update, 'id' | 'update_mask' | 'branch_id' | 'etag' | 'minor_change' | 'reason'>

/** The value that `null` sets for each member (contract §3: null clears): the default of a new requirement. */
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
  superseded_by_id: '',
  external_refs: [],
  source: {},
  parent_id: '',
  position: 'end',
} as const satisfies { [K in keyof Omit<Members, 'title'>]-?: unknown }

/**
 * The members that an update sets: absent means unchanged, null means cleared, and only those in `update_mask` count.
 */
export function updatedFields(input: Update): RequirementFields {
  // The members are those of the contract, and each cleared value has the type of its member.
  return membersToSet(input, cleared) as RequirementFields
}
