import type { AgentContext, AgentWrite } from '../../define.ts'
import { setComponent } from '../../../workspace/activity.ts'
import { audit } from '../../../workspace/audit.ts'
import type { TriagedBody } from './schema.ts'

/**
 * Stores the proposed components inside the transaction that finishes the run, each with an audit row and an ACTION event.
 * An issue that has a component by then keeps it. Returns how many were stored.
 */
export async function storeComponents(
  { rows, prepare, action }: AgentWrite,
  triaged: readonly TriagedBody[],
  call: AgentContext['call'],
): Promise<number> {
  let stored = 0
  for (const { issue, component } of triaged) {
    if (component?.state !== 'PROPOSED') continue
    const free = await rows
      .selectFrom('issue')
      .select('id')
      .where('id', '=', issue.id)
      .where('component_id', '=', '')
      .executeTakeFirst()
    if (free === undefined) continue
    await setComponent(prepare, issue.id, component.id)
    stored += 1
    const change = { before: { component_id: '' }, after: { component_id: component.id } }
    await audit(rows, call, { verb: 'update', resourceType: 'issue', resourceId: issue.id, ...change })
    action(`Attributed ${issue.key} to component ${component.key}.`, {
      issue: { id: issue.id, key: issue.key },
      component: { id: component.id, key: component.key },
    })
  }
  return stored
}
