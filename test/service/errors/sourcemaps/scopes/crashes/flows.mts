import { EventEmitter } from 'node:events'

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export async function retry<T>(attempts: number, attempt: (number: number) => Promise<T>): Promise<T> {
  for (let number = 1; number < attempts; number++) {
    try {
      return await attempt(number)
    } catch {
      await later(1)
    }
  }
  return attempt(attempts)
}

export const fetchPrice = async (sku: string): Promise<number> => {
  await later(1)
  if (sku === 'none') throw new Error('the price service says no')
  return 5
}

export async function prices(skus: string[]): Promise<number[]> {
  return Promise.all(
    skus.map(async (sku) => {
      const price = await fetchPrice(sku)
      return price * 2
    }),
  )
}

export function afterwards(fail: (reason: string) => never): Promise<void> {
  return later(1)
    .then(() => 'late')
    .then((reason) => fail(reason))
}

export function onTimer(): void {
  setTimeout(() => {
    explode('timer')
  }, 1)
}

export function onNamedTimer(): void {
  setTimeout(function tick() {
    explode('named timer')
  }, 1)
}

function explode(what: string): never {
  throw new Error(`${what} went off`)
}

export class Bus {
  readonly #emitter = new EventEmitter()
  readonly #handlers = new Map<string, (value: string) => void>()

  constructor() {
    this.#handlers.set('upper', (value) => {
      if (value === '') throw new Error('nothing to write large')
    })
    this.#emitter.on('message', this.onMessage)
    this.#emitter.on('close', () => {
      this.#closed('bus')
    })
  }

  onMessage = (value: string): void => {
    this.#handlers.get('upper')?.(value)
  }

  #closed = (name: string): void => {
    throw new Error(`${name} is closed`)
  }

  send(value: string): void {
    this.#emitter.emit('message', value)
  }

  close(): void {
    this.#emitter.emit('close')
  }
}

export async function* pages(last: number): AsyncGenerator<number> {
  for (let page = 1; ; page++) {
    await later(1)
    if (page > last) throw new Error('no such page')
    yield page
  }
}

export async function readAll(source: AsyncIterable<number>): Promise<number> {
  let sum = 0
  for await (const page of source) sum += page
  return sum
}

export const executor = (): Promise<void> =>
  new Promise((resolve, reject) => {
    if (resolve !== reject) throw new Error('in the executor')
  })
