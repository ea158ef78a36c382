import { ValidationError } from '../support/errors.ts'
import { features } from '../support/release.ts'

interface DiscountCode {
  percent: number
  /** A code whose reduction comes on top. */
  buildsOn?: string
}

const codes: Record<string, DiscountCode> = {
  WELCOME10: { percent: 10 },
  TEATIME: { percent: 5 },
  FRIENDS: { percent: 5, buildsOn: 'WELCOME10' },
  SPRING: { percent: 5, buildsOn: 'BLOSSOM' },
  BLOSSOM: { percent: 5, buildsOn: 'SPRING' },
}

/** The highest reduction a customer can reach. */
const mostPercent = 30

/** What a discount code takes off, in percent. */
export function discountPercent(code: string): number {
  return Math.min(totalPercent(code.toUpperCase(), new Set()), mostPercent)
}

function totalPercent(code: string, applied: Set<string>): number {
  if (features.discountCircleCheck && applied.has(code)) return 0
  const discount = codes[code]
  if (!discount) throw new ValidationError('code', `the code ${code} is not known`)
  if (!features.stackedDiscounts || !discount.buildsOn) return discount.percent
  return discount.percent + totalPercent(discount.buildsOn, applied.add(code))
}
