import type { Rows } from '../../../src/service/sql/database.ts'
import type { App } from '../../app.ts'

/** Copies the only issue of an app, and gives each copy a file for each path. */
export async function copyIssue(
  app: App,
  {
    copies,
    paths,
    also,
  }: { copies: number; paths: readonly string[]; also?: (rows: Rows, id: string) => Promise<unknown> },
): Promise<void> {
  await app.db.write(async (rows) => {
    const issue = await rows.selectFrom('issue').selectAll().executeTakeFirstOrThrow()
    for (let number = 2; number < 2 + copies; number += 1) {
      const id = issue.id.slice(0, -6) + String(number).padStart(6, '0')
      await rows
        .insertInto('issue')
        .values({ ...issue, id, number })
        .execute()
      const frame = { product_id: issue.product_id, issue_id: id, function: 'charge', distance: 0 }
      await rows
        .insertInto('issue_frame')
        .values(paths.map((path) => ({ ...frame, path })))
        .execute()
      await also?.(rows, id)
    }
  })
}
