import type { EndpointName, InputOf, ResponseOf } from '../../../contract/index.ts'
import { proposeLink, type ProposedLink } from '../../branches/proposals/propose.ts'
import { writeOnBranch, type Drafting } from '../../branches/overlay/write.ts'
import { updatedFields as updatedRequirement } from '../../quality/requirements/cleared.ts'
import { updatedFields as updatedTest } from '../../quality/cases/cleared.ts'
import type { Call, Handlers } from '../../shared/context.ts'
import { requirementHandlers } from '../quality/requirements.ts'
import { testHandlers } from '../quality/tests.ts'

/**
 * The handlers that write requirements and tests: with `branch_id` what they write is recorded on the branch, and they
 * answer what a read of the branch answers (contract §5).
 */
export const writesOnBranches = {
  async createRequirement(input, call) {
    const { branch_id: branchId = '', product_id } = input
    if (branchId === '') return requirementHandlers.createRequirement(input, call)
    return writeOnBranch(
      call,
      branchId,
      { product_id },
      {
        write: (drafting) => requirementHandlers.createRequirement(input, drafting.call),
        read: async (written, at) => ({ ...written, ...(await readRequirement(written.requirement.id, at)) }),
      },
    )
  },

  async updateRequirement(input, call) {
    const { branch_id: branchId = '', id } = input
    if (branchId === '') return requirementHandlers.updateRequirement(input, call)
    return writeOnBranch(
      call,
      branchId,
      { id },
      {
        async write(drafting) {
          drafting.say(id, { named: Object.keys(updatedRequirement(input)) })
          // Whether links become suspect is decided by the merge.
          return requirementHandlers.updateRequirement({ ...input, minor_change: undefined }, drafting.call)
        },
        read: async (written, at) => ({ ...written, ...(await readRequirement(id, at)) }),
      },
    )
  },

  async deleteRequirement(input, call) {
    const { branch_id: branchId = '', id } = input
    if (branchId === '') return requirementHandlers.deleteRequirement(input, call)
    const write = (drafting: Drafting) => requirementHandlers.deleteRequirement(input, drafting.call)
    return writeOnBranch(call, branchId, { id }, { write })
  },

  async createTest(input, call) {
    const { branch_id: branchId = '', product_id } = input
    if (branchId === '') return testHandlers.createTest(input, call)
    return writeOnBranch(
      call,
      branchId,
      { product_id },
      {
        write: (drafting) => testHandlers.createTest(input, drafting.call),
        async propose({ links }, rows, branch) {
          for (const link of links) await proposeLink(rows, call, branch, toProposal(link))
        },
        // Its links are proposals.
        read: async (written, at) => ({ ...(await readTest(written.test.id, at)), links: [] }),
      },
    )
  },

  async updateTest(input, call) {
    const { branch_id: branchId = '', id } = input
    if (branchId === '') return testHandlers.updateTest(input, call)
    return writeOnBranch(
      call,
      branchId,
      { id },
      {
        async write(drafting) {
          drafting.say(id, { named: namesOfTest(input) })
          return testHandlers.updateTest(input, drafting.call)
        },
        read: (_written, at) => readTest(id, at),
      },
    )
  },

  async deleteTest(input, call) {
    const { branch_id: branchId = '', id } = input
    if (branchId === '') return testHandlers.deleteTest(input, call)
    const write = (drafting: Drafting) => testHandlers.deleteTest(input, drafting.call)
    return writeOnBranch(call, branchId, { id }, { write })
  },
} satisfies Partial<Handlers<EndpointName>>

function toProposal(link: ResponseOf<'createTest'>['links'][number]): ProposedLink {
  const { test_id: testId, requirement_id: requirementId, role, criterion_ids: criterionIds, origin } = link
  return { testId, requirementId, action: 'LINK_PROPOSAL_ACTION_ADD', role, criterionIds, origin }
}

async function readRequirement(id: string, call: Call) {
  const { requirement } = await requirementHandlers.getRequirement({ id }, call)
  return { requirement }
}

async function readTest(id: string, call: Call) {
  const { test } = await testHandlers.getTest({ id }, call)
  return { test }
}

/** The members of a stored change that an update names; quarantine is one of them. */
function namesOfTest(input: InputOf<'updateTest'>): string[] {
  return Object.keys(updatedTest(input)).map((name) => (name.startsWith('quarantine') ? 'quarantine' : name))
}
