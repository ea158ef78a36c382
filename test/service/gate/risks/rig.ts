import type { Call, Writing } from '../../../../src/service/shared/context.ts'
import type { InputOf } from '../../../../src/contract/index.ts'
import { acceptRisk } from '../../../../src/service/gate/risks/accept.ts'
import { decideRisk } from '../../../../src/service/gate/risks/decide.ts'
import type { JudgedVerdict } from '../../../../src/service/gate/risks/select.ts'
import { systemPlatform } from '../../../../src/service/shared/platform.ts'
import { startApp } from '../../../app.ts'

export type Person = Writing & Pick<Call, 'principal'>

/** A verdict whose coverage lacks two requirements, and in which a test of one of them fails. */
export const verdict: JudgedVerdict = {
  id: 'verdict-1',
  conditions: [
    {
      id: 'critical_coverage',
      status: 'CONDITION_STATUS_FAIL',
      items: [
        { type: 'requirement', id: 'REQ-A' },
        { type: 'requirement', id: 'REQ-B' },
      ],
    },
    { id: 'failing_tests', status: 'CONDITION_STATUS_FAIL', items: [{ type: 'test', id: 'TC-A' }] },
    { id: 'new_issues', status: 'CONDITION_STATUS_PASS', items: [] },
  ],
}

const reason = 'the supplier fixes it with the next delivery'

/** The risks of the first product, with a clock of its own and as many people as a test names. */
export async function startRisks() {
  const clock = { now: Date.UTC(2026, 5, 1) }
  const app = await startApp({ platform: { now: () => clock.now } })
  const product = await app.db.read.selectFrom('product').selectAll().executeTakeFirstOrThrow()

  function person(
    name: string,
    facts: Partial<Pick<Person, 'byAgent' | 'via'>> & { kind?: 'agent' | 'ci' } = {},
  ): Person {
    const { kind = 'person' } = facts
    return {
      now: () => clock.now,
      newId: () => systemPlatform.newId(),
      via: facts.via ?? '',
      byAgent: facts.byAgent ?? kind === 'agent',
      actor: { type: 'ACTOR_TYPE_API_TOKEN', id: `token of ${name}`, display_name: name, user_id: name },
      principal: {
        userId: name,
        displayName: name,
        tokenId: `token of ${name}`,
        tokenName: 'test',
        tokenKind: kind,
        scopes: new Set(),
        workspaceIds: [],
      },
    }
  }

  return {
    app,
    clock,
    product,
    person,
    ada: person('ada'),
    bob: person('bob'),
    accept: (by: Person, facts: Partial<InputOf<'acceptRisk'>> = {}, against = verdict, version = '') =>
      app.db.write((rows) => {
        const input = { product_id: app.productId, reason, ...facts }
        return acceptRisk(rows, by, input, { productId: product.id, verdict: against, version })
      }),
    decide: async (by: Person, riskId: string, facts: Partial<InputOf<'approveRisk'>> = {}) => {
      const input = { product_id: app.productId, risk_id: riskId, ...facts }
      return app.db.write(async (rows) => {
        const now = await rows.selectFrom('product').selectAll().executeTakeFirstOrThrow()
        return decideRisk(rows, by, now, input)
      })
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}
