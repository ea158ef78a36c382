import { identity } from '../../../gate/facts.ts'
import { readBody, readEvidence, type StoredVerdict } from '../../../gate/verdict/store.ts'
import type { GateWatchOutput } from './output.ts'
import { shownItem } from './shown-item.ts'

type Improved = GateWatchOutput['improved'][number]

/**
 * The items that the earlier verdict listed and that no longer fail, or that had no test and have one now. Conditions that
 * are not evaluated now show nothing.
 */
export function listImproved(earlier: StoredVerdict, now: StoredVerdict): Improved[] {
  const failing = readEvidence(now)
  const conditions = new Map(readBody(now).conditions.map((condition) => [condition.id, condition]))
  return readBody(earlier).conditions.flatMap(({ id, evidence }) => {
    const condition = conditions.get(id)
    if (condition === undefined || condition.status === 'CONDITION_STATUS_NOT_EVALUATED') return []
    const states = new Map(condition.evidence.map((item) => [identity(item), item.state]))
    return evidence.flatMap((item): Improved[] => {
      const { because: _because, state: from, ...shown } = shownItem(item)
      if (failing[id]?.[identity(item)] === undefined) return [{ condition_id: id, ...shown, from, to: null }]
      const to = states.get(identity(item))
      return from === 'no_test' && to !== undefined && to !== from ? [{ condition_id: id, ...shown, from, to }] : []
    })
  })
}
