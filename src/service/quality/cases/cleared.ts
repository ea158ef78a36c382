import type { InputOf } from '../../../contract/index.ts'
import { membersToSet } from '../../shared/clearing.ts'
import type { TestFields } from './write.ts'

type Update = InputOf<'updateTest'>
type Members = Omit<Update, 'id' | 'update_mask' | 'branch_id' | 'etag'>

/** What `null` makes of each member (contract §4: null clears): what a new test has. */
const cleared = {
  parent_id: '',
  position: 0,
  description: '',
  level: 'TEST_LEVEL_UNKNOWN',
  status: 'TEST_STATUS_ACTIVE',
  automation: 'AUTOMATION_STATUS_MANUAL',
  framework: '',
  automation_ref: null,
  preconditions: '',
  steps: [],
  tags: [],
  labels: {},
  component_ids: [],
  quarantined: false,
  quarantine_reason: '',
} as const satisfies { [K in keyof Omit<Members, 'title'>]-?: unknown }

/** The members of an update that are to be set: absent = unchanged, null = cleared, and only those of `update_mask`. */
export function updatedFields(input: Update): TestFields {
  // The members are the contract's, and what clears one is of its type.
  return membersToSet(input, cleared) as TestFields
}
