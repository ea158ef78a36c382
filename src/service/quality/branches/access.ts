import { notFound } from '../../../errors.ts'

/** Refuses a branch by its id: this service has no branches, so none can be meant. Absent and empty mean the main tree. */
export function refuseBranch(branchId: string | undefined): void {
  if (branchId !== undefined && branchId !== '') {
    throw notFound('branch', branchId, 'leave branch_id out to use the main tree')
  }
}
