import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  GivenResolution,
  MergeResult,
  NamedChange,
  ResolutionName,
} from '../../../../src/service/branches/merge/types.ts'
import { history, play } from './histories.ts'
import { applied, content, mergeFork, type Entity, type Fork } from './model.ts'
import { referenceMerge } from './reference.ts'

/** Each run of the tests tries other histories: enough that every kind of conflict is among them (`compared`, `asked`). */
const RUNS = 2000

function names({ conflicts }: MergeResult): string[] {
  const named = conflicts.map(({ type, entity_id: id, field }) =>
    type === 'CONFLICT_TYPE_CYCLE' ? 'CYCLE' : `${type.replace('CONFLICT_TYPE_', '')} ${id} ${field}`.trim(),
  )
  return [...new Set(named)].toSorted()
}

/** Merges one branch after the other as the reference does; undefined where either has conflicts. */
function mergeBoth(main: Map<string, Entity>, forks: readonly Fork[]): Map<string, Entity> | undefined {
  let tree: Map<string, Entity> | undefined = main
  for (const fork of forks) {
    if (tree === undefined) return undefined
    const merged: MergeResult = mergeFork(tree, fork)
    const expected = referenceMerge(tree, fork)
    assert.equal(names(merged).join('\n'), expected.conflicts.join('\n'))
    if (merged.conflicts.length === 0) assert.equal(content(applied(tree, merged)), content(expected.tree))
    tree = merged.conflicts.length === 0 ? applied(tree, merged) : undefined
  }
  return tree
}

/** Whether both branches started from the same value of what both of them changed. */
function shareBase(one: Fork, other: Fork): boolean {
  return [...one.changes].every(([id, { base }]) => {
    const others = other.changes.get(id)?.base ?? {}
    return Object.keys(base).every((name) => !(name in others) || isDeepStrictEqual(base[name], others[name]))
  })
}

function deletesPlace({ changes }: Fork): boolean {
  const isPlaced = ({ operation, base }: NamedChange) =>
    operation === 'CHANGE_OPERATION_DELETE' && (base['automation_ref'] ?? null) !== null
  return [...changes.values()].some(isPlaced)
}

/** Merges with one answer to every conflict, also to those that the answers raise; a link to what is gone is given up. */
function mergeAnswering(main: Map<string, Entity>, fork: Fork, answer: ResolutionName): MergeResult {
  const resolutions = new Map<string, GivenResolution>()
  for (;;) {
    const merged = mergeFork(main, fork, resolutions)
    if (merged.unresolved.length === 0) return merged
    for (const { id, type } of merged.unresolved) {
      const resolution = type === 'CONFLICT_TYPE_LINK_TARGET_GONE' ? 'RESOLUTION_USE_MAIN' : answer
      resolutions.set(id, { resolution })
    }
  }
}

test('two branches merge in either order as the reference merges them, or with the same conflicts', () => {
  let compared = 0
  fc.assert(
    fc.property(history, (steps) => {
      const { main, forks } = play(steps)
      const oneWay = mergeBoth(main, [forks.A, forks.B])
      const otherWay = mergeBoth(main, [forks.B, forks.A])
      if (oneWay === undefined || otherWay === undefined) return
      // A test that one branch deletes and the other creates again is gone or not, depending on which came last.
      if (deletesPlace(forks.A) || deletesPlace(forks.B) || !shareBase(forks.A, forks.B)) return
      compared += 1
      assert.equal(content(oneWay), content(otherWay))
    }),
    { numRuns: RUNS },
  )
  expect(compared).toBeGreaterThan(RUNS / 5)
})

test('the answer "main" to every conflict leaves what main has, and "branch" gives what the branch has', () => {
  let asked = 0
  const values = ['CONFLICT_TYPE_FIELD', 'CONFLICT_TYPE_TEXT']
  fc.assert(
    fc.property(history, (steps) => {
      const { main, forks } = play(steps)
      const { conflicts } = mergeFork(main, forks.A)
      asked += conflicts.length
      const asMain = mergeAnswering(main, forks.A, 'RESOLUTION_USE_MAIN')
      const asBranch = mergeAnswering(main, forks.A, 'RESOLUTION_USE_BRANCH')
      const [mains, branches] = [applied(main, asMain), applied(main, asBranch)]
      for (const { type, entity_id: id, field, branch } of conflicts) {
        const target = asBranch.changes.find(({ change }) => change.entityId === id)!.targetId
        if (field === '') {
          assert.equal(mains.get(id)!.isDeleted, main.get(id)!.isDeleted, type)
          assert.equal(branches.get(id)!.isDeleted, type === 'CONFLICT_TYPE_MODIFIED_IN_MAIN', type)
        } else if (values.includes(type) && !field.includes('.') && field !== 'parent_id') {
          assert.deepEqual(mains.get(target)!.members[field], main.get(target)!.members[field])
          assert.deepEqual(branches.get(target)!.members[field], branch)
        }
      }
    }),
    { numRuns: RUNS / 2 },
  )
  expect(asked).toBeGreaterThan(RUNS / 20)
})

test('a merge has the same conflicts with the same ids whenever it is previewed', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const { main, forks } = play(steps)
      const ids = mergeFork(main, forks.A).conflicts.map(({ id }) => id)
      expect(mergeFork(main, forks.A).conflicts.map(({ id }) => id)).toEqual(ids)
      expect(new Set(ids).size).toBe(ids.length)
    }),
    { numRuns: 500 },
  )
})
