import type { StoredRequirement } from '../../quality/requirements/access.ts'
import type { StoredTest } from '../../quality/cases/access.ts'
import type { Call } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { insideTransaction, takenBack } from '../../sql/rolled-back.ts'
import type { EntityTypeName } from '../changes.ts'
import { requirementMembers, testMembers, type Members } from '../members.ts'
import type { StoredBranch } from '../store/branches.ts'
import { readStored } from '../store/rows.ts'
import { readOnBranchInside, requireBranchFor, type NamedOnBranch, type OpenBranch } from './read.ts'
import { recordChanges, type Said } from './record.ts'
import { replay } from './replay.ts'

/** A branch that is written on, inside the caller's transaction. */
export interface Drafting {
  rows: Rows
  prepare: Prepare
  /** Its `db` is the transaction. */
  call: Call
  /**
   * Says more of the change of a requirement or test than its row does; what was said before of the same one is replaced.
   */
  say(entityId: string, said: Said): void
}

/** A write on a branch in its steps, which are one transaction. */
export interface BranchWrite<T> {
  /** Writes requirements and tests as in the main tree; what it wrote is taken back and recorded as changes. */
  write: (drafting: Drafting) => Promise<T>
  /** Writes what else the branch stores. */
  propose?: (written: T, rows: Rows, branch: StoredBranch) => Promise<void>
  /** Reads the answer on the branch as it is after the write; without it the answer is what `write` returned. */
  read?: (written: T, call: Call) => Promise<T>
}

/** Writes on a branch; resolves to the answer. Throws as `readOnBranch` does. */
export function writeOnBranch<T>(
  call: Call,
  branchId: string,
  named: NamedOnBranch,
  { write, propose, read }: BranchWrite<T>,
): Promise<T> {
  return call.db.write(async (rows, prepare) => {
    const found = await requireBranchFor({ rows, call }, branchId, named)
    const written = await draftOnBranch({ rows, prepare, call }, found, write)
    await propose?.(written, rows, found.branch)
    if (read === undefined) return written
    return readOnBranchInside({ rows, prepare, call }, found, (onBranch) => read(written, onBranch))
  })
}

/**
 * Runs `work` on a branch as `writeOnBranch` does, inside a transaction of the caller, such as the one that created the
 * branch.
 */
export async function draftOnBranch<T>(
  { rows, prepare, call }: { rows: Rows; prepare: Prepare; call: Call },
  { branch, product }: OpenBranch,
  work: (drafting: Drafting) => Promise<T>,
): Promise<T> {
  const at = call.now()
  const said = new Map<string, Said>()
  const drafting: Drafting = {
    rows,
    prepare,
    // Rows that the work writes are found by their time.
    call: { ...call, now: () => at, db: insideTransaction(rows, prepare) },
    say: (entityId, words) => void said.set(entityId, words),
  }
  const { result, changes, before, after } = await takenBack(rows, async () => {
    const replayed = await replay({ rows, prepare, product }, call, branch)
    const written = await takenBack(rows, async () => {
      const answer = await work(drafting)
      return { result: answer, after: await writtenSince(rows, product.id, at, [...said.keys()]) }
    })
    return { ...written, changes: replayed.changes, before: await readEntities(rows, written.after.keys()) }
  })
  const main = await readEntities(rows, after.keys())
  const touched = [...after.values()].map((entity) => ({
    ...entity,
    after: entity.members,
    before: before.get(entity.id)?.members,
    main: main.get(entity.id)?.members,
    change: changes.find(({ entityId }) => entityId === entity.id),
    said: said.get(entity.id) ?? {},
  }))
  await recordChanges({ rows, call, branch, at }, touched)
  return result
}

/** A requirement or test; without members when it was deleted. */
interface Entity {
  entityType: EntityTypeName
  id: string
  number: number
  members: Members | undefined
}

/** What was written at that time or later, and everything that something was said of. */
async function writtenSince(rows: Rows, productId: number, at: number, ids: readonly string[]) {
  const requirements = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('product_id', '=', productId)
    .where((where) => where.or([where('updated_at', '>=', at), where('id', 'in', ids)]))
    .execute()
  const tests = await rows
    .selectFrom('test')
    .selectAll()
    .where('product_id', '=', productId)
    .where((where) => where.or([where('updated_at', '>=', at), where('id', 'in', ids)]))
    .execute()
  return byId([...requirements.map(requirementEntity), ...tests.map(testEntity)].toSorted(byKey))
}

async function readEntities(rows: Rows, ids: Iterable<string>): Promise<Map<string, Entity>> {
  const { requirements, tests } = await readStored(rows, ids)
  return byId([...requirements.map(requirementEntity), ...tests.map(testEntity)])
}

/** By number: first those of the main tree, then those of the branch. */
function byKey({ number: a }: Entity, { number: b }: Entity): number {
  return a < 0 === b < 0 ? Math.abs(a) - Math.abs(b) : b - a
}

function byId(entities: readonly Entity[]): Map<string, Entity> {
  return new Map(entities.map((entity) => [entity.id, entity]))
}

function requirementEntity(row: StoredRequirement): Entity {
  const { id, number } = row
  return {
    entityType: 'requirement',
    id,
    number,
    members: row.deleted_at === null ? requirementMembers(row) : undefined,
  }
}

function testEntity(row: StoredTest): Entity {
  const { id, number } = row
  return { entityType: 'test', id, number, members: row.deleted_at === null ? testMembers(row) : undefined }
}
