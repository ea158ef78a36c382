import type { Cart } from './cart.mts'

let issued = 0

function nextNumber(prefix: string): string {
  issued += 1
  if (prefix.length > 3) throw new Error('a prefix has three letters')
  return `${prefix}-${issued}`
}

export abstract class Document {
  readonly number: string
  readonly created = stamp(this.constructor as { kind?: string })

  constructor(prefix: string) {
    this.number = nextNumber(prefix)
  }

  abstract amount(): number

  print(): string {
    return `${this.number}: ${this.format(this.amount())}`
  }

  format(amount: number): string {
    if (amount < 0) throw new Error('a negative amount')
    return amount.toFixed(2)
  }
}

function stamp(Kind: { kind?: string }): string {
  if (Kind.kind === 'draft') throw new Error('a draft has no date')
  return 'today'
}

export class Invoice extends Document {
  readonly cart: Cart

  constructor(prefix: string, cart: Cart) {
    super(prefix)
    this.cart = cart
  }

  amount(): number {
    return this.cart.total
  }
}

export class Refund extends Invoice {
  static readonly reasons = new Set(['broken', 'late'])
  readonly reason: string

  constructor(cart: Cart, reason: string) {
    super('REF', cart)
    if (!Refund.reasons.has(reason)) throw new Error('no reason to refund')
    this.reason = reason
  }

  override amount(): number {
    return -super.amount()
  }
}

export class Draft extends Document {
  static readonly kind = 'draft'

  amount(): number {
    return 0
  }
}

interface Entries {
  entries: number[]
  post(amount: number): void
  balance(): number
}

/** Called as in programs from before classes. */
export const Ledger = function (this: Entries) {
  this.entries = []
  this.post = function (amount) {
    if (amount === 0) throw new Error('nothing to post')
    this.entries.push(amount)
  }
} as unknown as { new (): Entries; prototype: Entries }

Ledger.prototype.balance = function () {
  if (this.entries.length === 0) throw new Error('an empty ledger')
  return this.entries.reduce((sum, entry) => sum + entry, 0)
}

type Prints = new (prefix: string, cart: Cart) => { print(): string }

export const Audited = <T extends Prints>(Kind: T) => {
  class AuditedDocument extends (Kind as Prints) {
    audit(): string {
      return verify(this.print())
    }
  }
  return AuditedDocument
}

const verify = (text: string): string => {
  if (!text.includes('AUD')) throw new Error('not an audited number')
  return text
}
