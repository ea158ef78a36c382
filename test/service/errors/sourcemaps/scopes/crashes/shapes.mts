export const registry = {
  names: ['a', 'b'],
  first() {
    return this.pick(0)
  },
  pick(index: number) {
    return must(this.names[index + 2])
  },
  last: (names: string[]) => must(names.at(5)),
  legacy: function (name: string | undefined) {
    return must(name)
  },
  get size(): number {
    return must(undefined).length
  },
  async load(name: string) {
    await Promise.resolve()
    return must(name === 'missing' ? undefined : name)
  },
  nested: {
    deep: {
      find: (name?: string) => must(name),
    },
  },
  'quoted-key': (name?: string) => must(name),
}

function must(name: string | undefined): string {
  if (name === undefined) throw new TypeError('a name is missing')
  return name
}

export function factorial(n: number): number {
  if (n === 0) throw new RangeError('the recursion ends')
  return n * factorial(n - 1)
}

export function outer(names: (string | undefined)[]): string[] {
  const upper = (name: string | undefined) => must(name).toUpperCase()
  function each(list: (string | undefined)[]): string[] {
    return list.map(upper)
  }
  return each(names)
}

export function counter(limit: number): () => number {
  let count = 0
  return function increment() {
    count += 1
    if (count > limit) throw new RangeError('over the limit')
    return count
  }
}

export function memo(compute: (key: string) => number): (key: string) => number {
  const known = new Map<string, number>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}

export const slow = memo((key) => {
  if (key === 'bad') throw new Error('a bad key')
  return key.length
})

export function sql(parts: TemplateStringsArray, ...values: unknown[]): string {
  if (values.includes(undefined)) throw new TypeError('a value is missing')
  return parts.join('?')
}

export function query(id: string | undefined): string {
  return sql`SELECT * FROM orders WHERE id = ${id}`
}

export function settings(text: string): { level: number } {
  return (function () {
    const parsed = JSON.parse(text) as { level?: number }
    if (parsed.level === undefined) throw new Error('no level')
    return { level: parsed.level }
  })()
}

export const watched = new Proxy({ plain: 1 } as Record<string, number>, {
  get(target, key) {
    if (typeof key === 'string' && !(key in target)) throw new Error(`no ${key}`)
    return Reflect.get(target, key) as number
  },
})

export const handlers: Record<string, (body: string) => void> = {}
handlers.save = (body) => {
  if (body === '') throw new Error('nothing to save')
}
handlers.send = function (body) {
  handlers.save?.(body)
}

export function replaceAll(text: string): string {
  return text.replaceAll(/\w+/g, (word) => {
    if (word === 'bad') throw new Error('a bad word')
    return word.toUpperCase()
  })
}

export function withDefault(make = () => must(undefined)): string {
  return make()
}

export class Lazy {
  readonly value = Lazy.compute()

  static compute(): string {
    return must(undefined)
  }
}

export const Anonymous = class {
  run(): string {
    return this.inner()
  }

  inner(): string {
    return must(undefined)
  }
}

export class Parser {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  parse(): unknown {
    if (this.#text[this.#at] === '(') return this.group()
    return this.atom()
  }

  group(): unknown[] {
    this.#at += 1
    const items: unknown[] = []
    while (this.#text[this.#at] !== ')') items.push(this.parse())
    this.#at += 1
    return items
  }

  atom(): string {
    const char = this.#text[this.#at]
    if (char === undefined) throw new SyntaxError('the text ends in a group')
    this.#at += 1
    return char
  }
}

export function pipeline(...steps: ((value: number) => number)[]): (value: number) => number {
  return (value) => steps.reduce((result, step) => step(result), value)
}

export const double = (value: number): number => value * 2
export const positive = (value: number): number => {
  if (value <= 0) throw new RangeError('not positive')
  return value
}
