import { IssueStatus, Level } from '../../../../contract/base/common.ts'
import type { Owners } from '../../../workspace/components/components.ts'
import type { ComponentRef } from '../../../workspace/releases/names.ts'
import type { Claim, Code, Recent, TriagedIssue } from './read.ts'
import type { PriorityBody, TriagedBody } from './schema.ts'
import { suggestStatus } from './suggest.ts'
import { nextStep } from './words.ts'

const MOST_REQUIREMENTS = 3

/** What the issues of one run share. */
export interface Facts {
  keyPrefix: string
  now: number
  code: ReadonlyMap<string, Code>
  recent: ReadonlyMap<string, Recent>
  claims: ReadonlyMap<string, readonly Claim[]>
  owners: Owners
  components: ReadonlyMap<string, ComponentRef>
  findDuplicates(this: void, issue: TriagedIssue): Pick<TriagedIssue, 'id' | 'number' | 'status'>[]
}

/** One issue as the output has it. */
export function viewTriaged(issue: TriagedIssue, priority: PriorityBody, facts: Facts): TriagedBody {
  const { keyPrefix, now, recent } = facts
  const key = (number: number) => `${keyPrefix}-${number}`
  const status = IssueStatus.parse(issue.status)
  const duplicates = facts.findDuplicates(issue)
  const triaged = {
    issue: {
      id: issue.id,
      key: key(issue.number),
      level: Level.parse(issue.level),
      status,
      events: issue.times_seen,
      events_7d: recent.get(issue.id)?.live.events ?? 0,
      users: issue.users_affected,
    },
    priority,
    component: findComponent(issue, facts),
    requirements: findClaims(issue, facts)
      .toSorted((left, right) => right.risk - left.risk || left.number - right.number)
      .slice(0, MOST_REQUIREMENTS)
      .map(({ id, number }) => ({ id, key: `REQ-${number}` })),
    duplicates: duplicates.map((other) => ({
      id: other.id,
      key: key(other.number),
      status: IssueStatus.parse(other.status),
    })),
    ...suggestStatus(issue, now),
  }
  return { ...triaged, next: nextStep(triaged) }
}

/** The requirements that claim the files of an issue, each once. */
export function findClaims(
  { id }: Pick<TriagedIssue, 'id'>,
  { code, claims }: Pick<Facts, 'code' | 'claims'>,
): Claim[] {
  const found = (code.get(id)?.files ?? []).flatMap((file) => claims.get(file) ?? [])
  return [...new Map(found.map((claim) => [claim.id, claim])).values()]
}

/** By the place of a file in `Code`. */
const fileByPlace = ['the file nearest to the crash', 'the second nearest file', 'the third nearest file']

/** The stored component, else the owner of the file that is nearest to the crash among those with one. */
function findComponent(
  { id, component_id: storedId }: TriagedIssue,
  { code, owners, components }: Facts,
): TriagedBody['component'] {
  const stored = components.get(storedId)
  if (stored !== undefined) return { id: stored.id, key: stored.key, state: 'STORED', why: 'The issue has it already.' }
  for (const [place, file] of (code.get(id)?.files ?? []).entries()) {
    const owner = components.get(owners.findOwner(file) ?? '')
    if (owner !== undefined)
      return { id: owner.id, key: owner.key, state: 'PROPOSED', why: `It owns ${fileByPlace[place]!}.` }
  }
  return null
}
