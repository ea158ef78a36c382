import type { ConfirmOptions } from '../../src/mcp/confirm/options.ts'
import { connect, type Connected, type Era, type User } from '../mcp/clients.ts'
import { openQualityShop, type QualityShop } from './quality-shop.ts'

/** A server that asks people: in the client's form, or on the page that it links. */
export const confirm: ConfirmOptions = {
  mode: 'ask',
  secret: () => 'a secret of the operator, long enough',
  pageLink: (token) => Promise.resolve(`http://127.0.0.1:4319/confirm?t=${token}`),
}

/** An acceptance of what blocks the shop. */
export const acceptance = { blocker: 'failing_tests', reason: 'The removal of items is hidden in this release.' }

/** The quality shop with a verdict: it fails by TC-4. */
export interface RiskShop extends QualityShop {
  /** An agent with the tools of decisions. */
  agent(user?: User, era?: Era): Promise<Connected>
  /** The risks of the newest verdict. */
  risks(): Promise<NonNullable<Awaited<ReturnType<QualityShop['api']['getGate']>>['verdict']['risks']>>
}

export async function openRiskShop(): Promise<RiskShop> {
  const shop = await openQualityShop()
  const { api, productId: product_id } = shop
  await api.computeGate({ product_id })
  return Object.assign(shop, {
    agent: (user?: User, era: Era = '2026-07-28') =>
      connect(api, { era, confirm, options: { toolsets: ['default', 'approvals'] }, ...(user && { user }) }),
    async risks() {
      const { verdict } = await api.getGate({ product_id })
      return verdict.risks ?? []
    },
  })
}
