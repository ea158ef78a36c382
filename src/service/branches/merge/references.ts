import { Id } from '../../../contract/base/common.ts'
import { invalidResolution, type Settled } from './settle.ts'
import { isAlive, isDeletedInMain, keyFor, mainEntity, subjectFor, address, type Merging } from './state.ts'
import type { MergedChange, NamedChange, ProposedLink } from './types.ts'
import * as words from './words.ts'

/** Takes requirements that no longer exist out of what the merge writes; asks where main has deleted them. */
export function checkReferences(merging: Merging, one: MergedChange): void {
  const { depends_on_ids: dependencies, superseded_by_id: replacement } = one.members
  if (Array.isArray(dependencies)) setMember(one, 'depends_on_ids', liveDependencies(merging, one, dependencies))
  if (typeof replacement === 'string') setMember(one, 'superseded_by_id', liveReplacement(merging, one, replacement))
}

function setMember(one: MergedChange, name: string, value: unknown): void {
  one.members = { ...one.members, [name]: value }
  const outcome = one.fields.find(({ field }) => field === name)
  if (outcome !== undefined) outcome.merged = value
}

function liveDependencies(merging: Merging, { change, targetId }: MergedChange, ids: readonly unknown[]): string[] {
  const main = mainEntity(merging, 'requirement', targetId)?.members?.['depends_on_ids']
  const known = new Set<unknown>(Array.isArray(main) ? main : [])
  const live = ids.map(String).map((id) => {
    if (isAlive(merging, 'requirement', id)) return id
    if (known.has(id) || !isDeletedInMain(merging, 'requirement', id)) return ''
    const { choice, value } = settleTarget(merging, change, `depends_on_ids.${id}`, id)
    return choice === 'RESOLUTION_USE_VALUE' ? asId(value) : ''
  })
  return [...new Set(live)].filter((id) => id !== '')
}

function liveReplacement(merging: Merging, { change, targetId }: MergedChange, id: string): string {
  if (id === '' || isAlive(merging, 'requirement', id)) return id
  const main = asId(mainEntity(merging, 'requirement', targetId)?.members?.['superseded_by_id'])
  const before = main !== '' && isAlive(merging, 'requirement', main) ? main : ''
  if (!isDeletedInMain(merging, 'requirement', id)) return before
  const { choice, value } = settleTarget(merging, change, 'superseded_by_id', id)
  return choice === 'RESOLUTION_USE_VALUE' ? asId(value) : before
}

function asId(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function settleTarget(merging: Merging, change: NamedChange, field: string, id: string): Settled {
  const target = keyFor(merging, 'requirement', id)
  return merging.settler.settle(subjectFor(change), {
    type: 'CONFLICT_TYPE_LINK_TARGET_GONE',
    field,
    base: null,
    main: null,
    branch: id,
    suggested: 'RESOLUTION_USE_MAIN',
    message: words.targetGone(change.key, field.split('.')[0] ?? field, target),
    refused: { RESOLUTION_USE_BRANCH: `${target} is deleted` },
    readValue: (given) => {
      const other = Id.nullable().safeParse(given)
      const isKnown = other.data === null || isAlive(merging, 'requirement', other.data ?? '')
      if (other.success && isKnown) return other.data
      throw invalidResolution(change.key, 'the value must be the id of an existing requirement, or null for none')
    },
  })
}

/** The link proposals whose test and requirement exist after the merge, with the tests of main that replace created ones. */
export function liveLinks(merging: Merging): ProposedLink[] {
  return merging.input.links.flatMap((link) => {
    const test = merging.merged.get(address('test', link.testId))
    const testId = test?.targetId ?? link.testId
    const [testLives, requirementLives] = [
      isAlive(merging, 'test', testId),
      isAlive(merging, 'requirement', link.requirementId),
    ]
    if (testLives && requirementLives) return [{ ...link, testId }]
    if (link.action === 'LINK_PROPOSAL_ACTION_ADD') settleLink(merging, link)
    return []
  })
}

function settleLink(merging: Merging, { testId, requirementId }: ProposedLink): void {
  const isGone = isDeletedInMain(merging, 'test', testId)
  if (!isGone && !isDeletedInMain(merging, 'requirement', requirementId)) return
  const [test, requirement] = [keyFor(merging, 'test', testId), keyFor(merging, 'requirement', requirementId)]
  const gone = isGone ? test : requirement
  merging.settler.settle(
    { entityType: 'test', id: testId, key: test },
    {
      type: 'CONFLICT_TYPE_LINK_TARGET_GONE',
      field: `links.${requirementId}`,
      base: null,
      main: null,
      branch: requirementId,
      suggested: 'RESOLUTION_USE_MAIN',
      message: words.linkGone(test, requirement, gone),
      refused: { RESOLUTION_USE_BRANCH: `${gone} is deleted` },
    },
  )
}
