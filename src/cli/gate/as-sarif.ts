import { version } from '../../version.ts'
import type { GateReport } from './findings.ts'
import { itemWords, moreLine } from './as-text.ts'

/** The verdict as SARIF 2.1.0: one result for each failing item, at the level of its condition. */
export function asSarif({ conditions, verdictId, digest, status, scope }: GateReport): string {
  const failing = conditions.filter((condition) => condition.status === 'FAIL')
  const results = failing.flatMap((condition) => {
    const level = condition.isBlocking ? 'error' : 'warning'
    const shared = { ruleId: condition.id, level }
    const rest = moreLine(condition).map((text) => ({ ...shared, message: { text: `${condition.title}: ${text}` } }))
    return [
      ...condition.items.map((item) => ({
        ...shared,
        message: { text: itemWords(item) },
        partialFingerprints: { 'tracegate/v1': `${condition.id}:${item.key}` },
        locations: [{ logicalLocations: [{ fullyQualifiedName: item.key, kind: 'member' }] }],
        baselineState: item.isNew ? 'new' : 'unchanged',
      })),
      ...(condition.items.length === 0 ? [{ ...shared, message: { text: condition.message } }] : rest),
    ]
  })
  const rules = conditions.map(({ id, title }) => ({ id, shortDescription: { text: title } }))
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Tracegate quality gate', version, rules } },
        automationDetails: { id: `quality-gate/${verdictId}` },
        properties: { status, scope, inputs_digest: digest },
        results,
      },
    ],
  }
  return JSON.stringify(log, undefined, 2)
}
