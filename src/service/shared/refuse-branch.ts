import { notFound } from '../../errors.ts'

/** Throws `not_found` for a branch id: this service has no branches yet. Absent and empty mean the main tree. */
export function refuseBranch(branchId: string | undefined): void {
  if (branchId !== undefined && branchId !== '') {
    throw notFound('branch', branchId, 'omit branch_id to use the main tree')
  }
}
