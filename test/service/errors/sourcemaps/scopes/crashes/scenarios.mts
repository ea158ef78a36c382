import { Cart } from './cart.mts'
import {
  afterwards,
  Bus,
  executor,
  fetchPrice,
  onNamedTimer,
  onTimer,
  pages,
  prices,
  readAll,
  retry,
} from './flows.mts'
import { Audited, Document, Draft, Invoice, Ledger, Refund } from './orders.mts'
import priceList, { cheapest, round, withTax } from './prices.mts'
import {
  Anonymous,
  counter,
  double,
  factorial,
  handlers,
  Lazy,
  outer,
  Parser,
  pipeline,
  positive,
  query,
  registry,
  replaceAll,
  settings,
  slow,
  watched,
  withDefault,
} from './shapes.mts'

/** Each crashes, at once, by a promise or in a callback of its own. */
export const scenarios: Record<string, () => unknown> = {
  method: () => new Cart().add({ sku: 'tea', quantity: 0 }),
  staticMethod: () => Cart.of('tea', 'pen').total,
  staticPrivate: () => Cart.open(0),
  getter: () => Cart.of('gift').total,
  setter: () => {
    new Cart().discount = 101
  },
  callbackInGetter: () => {
    const cart = Cart.of('tea')
    cart.lines[0]!.quantity = Number.NaN
    cart.discount = 10
    return cart.total
  },
  arrowField: () => Cart.of('mug').remove('tea'),
  detachedArrowField: () => {
    const { remove } = Cart.of('mug')
    remove('tea')
  },
  generator: () => [...new Cart().add({ sku: '-', quantity: 1 }).skus()],
  iterator: () => [...Cart.of('tea')],
  asyncMethod: () => Cart.of('tea').checkout(async () => ''),
  asyncCallback: () =>
    Cart.of('tea').checkout(async (total) => {
      await Promise.resolve()
      if (total > 0) throw new Error('the card is declined')
      return 'paid'
    }),
  toJson: () => JSON.stringify({ cart: Cart.of('pen') }),
  constructorOfBase: () => new Invoice('LONG', Cart.of('tea')),
  constructorOfSubclass: () => new Refund(Cart.of('tea'), 'bored'),
  inheritedMethod: () => new Refund(Cart.of('tea'), 'late').print(),
  overriddenMethod: () => new Refund(Cart.of('pen'), 'late').amount(),
  fieldInitialiser: () => new Draft('DRA'),
  mixin: () => new (Audited(Draft))('AUX', new Cart()).audit(),
  mixinMethod: () => {
    const AuditedInvoice = Audited(Invoice)
    return new AuditedInvoice('INV', Cart.of('tea')).audit()
  },
  functionAsClass: () => new Ledger().post(0),
  prototypeMethod: () => new Ledger().balance(),
  mapOfFunctions: () => cheapest(['tea', 'gift']),
  curried: () => withTax(0.2)(-1),
  namedExpression: () => round(Number.POSITIVE_INFINITY),
  defaultExport: () => priceList(['tea', 'unknown']),
  asyncArrow: () => fetchPrice('none'),
  promiseAll: () => prices(['tea', 'none']),
  retried: () =>
    retry(2, async (number) => {
      const price = await fetchPrice(number > 1 ? 'none' : 'none')
      return price
    }),
  promiseThen: () =>
    afterwards((reason) => {
      throw new Error(`too ${reason}`)
    }),
  timer: () => onTimer(),
  namedTimer: () => onNamedTimer(),
  eventHandler: () => new Bus().send(''),
  handlerCalledDirectly: () => new Bus().onMessage(''),
  privateArrow: () => new Bus().close(),
  asyncGenerator: () => readAll(pages(2)),
  executor: () => executor(),
  objectMethod: () => registry.first(),
  objectArrow: () => registry.last([]),
  objectFunction: () => registry.legacy(undefined),
  objectGetter: () => registry.size,
  objectAsync: () => registry.load('missing'),
  nestedObject: () => registry.nested.deep.find(),
  quotedKey: () => registry['quoted-key'](),
  recursion: () => factorial(4),
  nestedFunctions: () => outer(['a', undefined]),
  closure: () => {
    const next = counter(1)
    next()
    next()
  },
  memoised: () => slow('bad'),
  taggedTemplate: () => query(undefined),
  iife: () => settings('{}'),
  proxy: () => watched.missing,
  assignedMembers: () => handlers.send?.(''),
  replaceCallback: () => replaceAll('a bad word'),
  defaultParameter: () => withDefault(),
  staticInField: () => new Lazy(),
  classExpression: () => new Anonymous().run(),
  mutualRecursion: () => new Parser('((a)').parse(),
  composed: () => pipeline(double, (value) => value - 10, positive)(2),
  bound: () => [0].forEach(positive.bind(null)),
  topLevel: () => import('./broken.mts'),
  lazyModule: async () => {
    const { Report } = await import('./lazy.mts')
    return new Report([[1], [2, 1000]]).render()
  },
}

export const hierarchy: (abstract new (...args: never[]) => object)[] = [Invoice, Refund, Draft, Document]
