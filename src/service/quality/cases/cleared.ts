import type { InputOf } from '../../../contract/index.ts'
import { membersToSet } from '../../shared/clearing.ts'
import type { TestFields } from './write.ts'

type Update = InputOf<'updateTest'>
type Members = Omit<Update, 'id' | 'update_mask' | 'branch_id' | 'etag' | 'reason'>

/** The value that `null` sets for each member (contract §4: null clears): the default of a new test. */
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
  issue_id: '',
  quarantined: false,
  quarantine_reason: '',
  quarantine_owner: '',
  quarantined_until: null,
} as const satisfies { [K in keyof Omit<Members, 'title'>]-?: unknown }

/**
 * The members that an update sets: absent means unchanged, null means cleared, and only those in `update_mask` count.
 */
export function updatedFields(input: Update): TestFields {
  // The members are those of the contract, and each cleared value has the type of its member.
  return membersToSet(input, cleared) as TestFields
}
