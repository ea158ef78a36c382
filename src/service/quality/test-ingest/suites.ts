import type { Writing } from '../../shared/context.ts'
import type { Prepare } from '../../sql/database.ts'
import { caseIdentity } from '../cases/identity.ts'
import { indexTest } from '../cases/text-index.ts'
import { testTitle } from '../cases/title.ts'
import { takeNumber } from '../../workspace/numbers.ts'

/**
 * Finds or creates the suites of a path inside a file, each below the previous one. `ensure` returns the id of the
 * innermost, '' for an empty path; `counted.created` is the number of new suites.
 */
export function createSuites(prepare: Prepare, call: Writing, productId: number) {
  const known = new Map<string, string>()
  const counted = { created: 0 }

  async function ensure(filePath: string, path: readonly string[]): Promise<string> {
    if (path.length === 0) return ''
    const place = { file_path: filePath, suite_path: path, name: '', project: '' }
    // No case has an empty name, so the location of a suite is never that of a case.
    const identity = caseIdentity(place)
    const before = known.get(identity) ?? (await find(identity))
    const id = before ?? (await insert(filePath, path, identity))
    known.set(identity, id)
    return id
  }

  async function find(identity: string): Promise<string | undefined> {
    const select = prepare('SELECT id FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL')
    return (await select.get<{ id: string }>(productId, identity))?.id
  }

  async function insert(filePath: string, path: readonly string[], identity: string): Promise<string> {
    const parent = await ensure(filePath, path.slice(0, -1))
    const id = call.newId()
    const number = await takeNumber(prepare, productId, 'test')
    const title = testTitle(path.at(-1) ?? '')
    const now = call.now()
    const seq = await prepare(
      `INSERT INTO test (id, product_id, number, parent_id, kind, title, level, status, automation, identity, file_path,
         suite_path, created_by, created_at, updated_at)
       VALUES (?, ?, ?, ?, 'TEST_KIND_SUITE', ?, 'TEST_LEVEL_UNKNOWN', 'TEST_STATUS_ACTIVE',
         'AUTOMATION_STATUS_AUTOMATED', ?, ?, ?, ?, ?, ?)`,
    ).insert(
      id,
      productId,
      number,
      parent,
      title,
      identity,
      filePath,
      JSON.stringify(path),
      JSON.stringify(call.actor),
      now,
      now,
    )
    await indexTest(prepare, { seq, number, title, suite_path: path, file_path: filePath, tags: [] })
    counted.created += 1
    return id
  }

  return { ensure, counted }
}
