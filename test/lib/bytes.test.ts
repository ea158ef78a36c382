import { expect, test } from 'vitest'
import { collectBytes } from '../../src/lib/bytes.ts'

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(new TextEncoder().encode(text))
}

test('chunks become one buffer', async () => {
  expect(String(await collectBytes(chunks('one', 'two')))).toBe('onetwo')
  expect(String(await collectBytes(chunks()))).toBe('')
})

test('one chunk is not copied', async () => {
  const chunk = new Uint8Array([1, 2, 3])
  const only = async function* () {
    yield await Promise.resolve(chunk)
  }
  expect((await collectBytes(only())).buffer).toBe(chunk.buffer)
})

test('nothing is read beyond the limit', async () => {
  let read = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 1
      yield await Promise.resolve(new Uint8Array(10))
    }
  }
  expect(await collectBytes(endless(), 35)).toBeUndefined()
  expect(read).toBe(4)
  expect((await collectBytes(chunks('12345'), 5))?.length).toBe(5)
})
