import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RiskState } from '../../../../src/contract/quality-gate/risks.ts'
import { isInLine, riskCounts } from '../../../../src/service/gate/risks/counts.ts'
import { expireRisks } from '../../../../src/service/gate/risks/expire.ts'
import { readOpenRisks, riskFact } from '../../../../src/service/gate/risks/facts.ts'
import { viewRisk } from '../../../../src/service/gate/risks/stored.ts'
import { startRisks } from './rig.ts'
import { tries } from '../../../property-tries.ts'

const release = fc.constantFrom('', 'r1', 'r2')
const environment = fc.constantFrom('', 'e1', 'e2')
const stored = fc.record({
  state: fc.constantFrom(...RiskState.options),
  release_id: release,
  environment_id: environment,
  release_line: fc.constantFrom('', '1.4.*', 'shop@1.4.*'),
  expires_at: fc.integer({ min: 1, max: 9 }),
})
const scope = fc.record({
  releaseId: release,
  version: fc.constantFrom('', '1.4.2', '1.40.0', 'shop@1.4.0', '2.0.0'),
  environmentId: environment,
})

test('wherever the clock is, every path says the same of a risk, before and after its end is stored', async () => {
  await using risks = await startRisks()
  const { app, product, ada, clock } = risks
  let number = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(stored, { maxLength: 6 }),
      scope,
      fc.integer({ min: 0, max: 10 }),
      async (facts, at, now) => {
        clock.now = now
        const made = facts.map((one) => ({ ...rest(product.id), ...one, id: `risk-${String((number += 1))}` }))
        const expected = made.filter((risk) => riskCounts(risk, { now, scope: at })).map(({ id }) => id)
        await app.db.write(async (rows) => {
          await rows.deleteFrom('risk').execute()
          if (made.length > 0) await rows.insertInto('risk').values(made).execute()
        })
        const paths = async () => {
          const all = await app.db.read.selectFrom('risk').selectAll().orderBy('id').execute()
          const { active } = await readOpenRisks(app.db.read, { productId: product.id, now, scope: at })
          const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id).toSorted()
          // The last is what a reader of the REST answer can tell by itself: state and scope, without a clock.
          return [
            ids(active),
            ids(active.map((risk) => riskFact(risk, { now, scope: at })).filter(({ counts }) => counts)),
            ids(all.filter((risk) => riskFact(risk, { now, scope: at }).counts)),
            ids(all.map((risk) => viewRisk(risk, now)).filter((risk) => isOf(risk, at))),
          ]
        }
        const each = expected.toSorted()
        expect(await paths()).toEqual([each, each, each, each])
        await app.db.write((rows) => expireRisks(rows, ada, product.id))
        expect(await paths()).toEqual([each, each, each, each])
      },
    ),
    { numRuns: tries(60) },
  )
})

test.each([
  ['1.4.2', '1.4.*', true],
  ['1.4.2-rc.1', '1.4.*', true],
  ['1.40.0', '1.4.*', false],
  ['1.4', '1.4.*', false],
  ['11.4.2', '1.4.*', false],
  ['shop@1.4.2', '1.4.*', false],
  ['shop@1.4.2', 'shop@1.4.*', true],
  ['2.0.0', '2.*', true],
])('%s is in the line %s: %s', (version, line, expected) => {
  expect(isInLine(version, line)).toBe(expected)
})

interface Shown {
  state: string
  scope: { release_id?: string; environment_id?: string; release_line: string }
}

/** Slow and literal: what contract §7 says of a shown risk. */
function isOf(
  { state, scope: bound }: Shown,
  at: { releaseId: string; version: string; environmentId: string },
): boolean {
  if (state !== 'RISK_STATE_APPROVED') return false
  if (bound.release_id !== '' && bound.release_id !== at.releaseId) return false
  if (bound.environment_id !== '' && bound.environment_id !== at.environmentId) return false
  return bound.release_line === '' || at.version.startsWith(bound.release_line.replace('*', ''))
}

function rest(productId: number) {
  const actor = JSON.stringify({ type: 'ACTOR_TYPE_API_TOKEN', id: 't', display_name: 'Ada', user_id: 'ada' })
  return {
    product_id: productId,
    condition_ids: '[]',
    requirement_ids: '[]',
    issue_ids: '[]',
    test_ids: '["TC-A"]',
    covered_evidence: '[{"type":"test","id":"TC-A"}]',
    reason: 'a reason of twenty characters',
    severity: 'RISK_LEVEL_LOW',
    accepted_by: actor,
    accepted_way: 'DECISION_WAY_API',
    accepted_at: 0,
    verdict_id: 'verdict-1',
  }
}
