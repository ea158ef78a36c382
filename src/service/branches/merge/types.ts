import type * as z from 'zod'
import type { Conflict, ConflictType, FieldResolution, Resolution } from '../../../contract/branches.ts'
import type { Change, EntityTypeName } from '../changes.ts'
import type { Members } from '../members.ts'

export type ResolutionName = z.output<typeof Resolution>
export type ConflictTypeName = z.output<typeof ConflictType>
export type FieldResolutionName = z.output<typeof FieldResolution>
export type ConflictBody = z.input<typeof Conflict>

/** A requirement or test of the main tree, deleted ones included. */
export interface MainEntity {
  id: string
  key: string
  /** Empty at the top level. */
  parentId: string
  isDeleted: boolean
  /** All members of those that the branch touches and of tests in `cases`; others may lack them. */
  members: Members | undefined
}

/** The main tree as it is when a branch is merged. */
export interface MainTree {
  requirement: ReadonlyMap<string, MainEntity>
  test: ReadonlyMap<string, MainEntity>
  /** Ids of the tests that are not deleted, by the identity of their code location (contract §4.2). */
  cases: ReadonlyMap<string, string>
}

/** A change of the branch with its key, which is provisional where the branch creates it. */
export type NamedChange = Change & { key: string }

/** A link proposal that the merge applies. */
export interface ProposedLink {
  id: string
  testId: string
  requirementId: string
  action: 'LINK_PROPOSAL_ACTION_ADD' | 'LINK_PROPOSAL_ACTION_REMOVE'
}

export interface GivenResolution {
  resolution: ResolutionName
  /** With `RESOLUTION_USE_VALUE`. */
  value?: unknown
}

/** Answers to conflicts, by the id of the conflict. */
export type Resolutions = ReadonlyMap<string, GivenResolution>

export interface MergeInput {
  changes: readonly NamedChange[]
  main: MainTree
  links: readonly ProposedLink[]
  resolutions: Resolutions
}

/** Values of one member at three places; null where the entity does not exist there. */
export interface Sides {
  base: unknown
  main: unknown
  branch: unknown
}

export interface FieldOutcome extends Sides {
  field: string
  merged: unknown
  resolution: FieldResolutionName
}

/** What the merge does with one change of the branch. */
export interface MergedChange {
  change: NamedChange
  /** Id of what it applies to. It differs from the change's if main has the test that the branch creates. */
  targetId: string
  action: 'create' | 'change' | 'restore' | 'delete' | 'none'
  /** Members to write: all of what is created, else those that differ from main. */
  members: Members
  fields: FieldOutcome[]
}

/** An entity that the branch does not move and that loses its parent. */
export interface Lift {
  entityType: EntityTypeName
  id: string
  key: string
  parentId: string
}

export interface MergeNote {
  code: 'LINK_CHANGED' | 'MOVED_UP' | 'TEST_EXISTS'
  message: string
}

/** A merge with each conflict settled by its resolution or, without one, as suggested. */
export interface MergeResult {
  changes: MergedChange[]
  lifts: Lift[]
  /** The link proposals to apply. */
  links: ProposedLink[]
  conflicts: ConflictBody[]
  unresolved: ConflictBody[]
  notes: MergeNote[]
}
