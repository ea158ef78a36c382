import * as z from 'zod'
import { IssueStatus } from '../../../../contract/base/common.ts'
import type { getIssue } from '../../../../contract/issues.ts'
import type { Rows } from '../../../sql/database.ts'
import { StoredActor } from '../../../workspace/actor.ts'
import { timestamp } from '../../../shared/times.ts'
import { readJson } from '../../../sql/json.ts'
import type { StoredIssue } from '../columns.ts'
import { viewStatusDetails } from './status-view.ts'

const Reason = z.enum(['manual', 'regression', 'bulk', 'ignore_ended'])
const LONGEST = 20

/** The newest 20 status changes of an issue, newest first. */
export async function readHistory(
  rows: Rows,
  { id, product_id }: Pick<StoredIssue, 'id' | 'product_id'>,
): Promise<z.input<typeof getIssue.returns.shape.history>> {
  const history = await rows
    .selectFrom('issue_history')
    .selectAll()
    .where('issue_id', '=', id)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(LONGEST)
    .execute()
  const details = await viewStatusDetails(rows, product_id, history)
  return history.map((row, index) => ({
    from: IssueStatus.parse(row.from_status),
    to: IssueStatus.parse(row.to_status),
    actor: readJson(StoredActor, row.actor),
    at: timestamp(row.at),
    note: row.note,
    reason: Reason.parse(row.reason),
    ...details[index],
  }))
}
