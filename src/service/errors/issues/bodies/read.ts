import { LRUCache } from 'lru-cache'
import type { Rows } from '../../../sql/database.ts'
import { unpackBody, type UnpackedBody } from './body.ts'
import { dictionaryText } from './dictionary.ts'

/** Bytes of dictionaries that are remembered for a connection: events that are read together are often of one issue. */
const REMEMBERED = 2_000_000

/** A dictionary never changes, and its id is not used again. */
const remembered = new WeakMap<Rows, LRUCache<number, Uint8Array>>()

/** The columns of an occurrence that hold its event, of one that still has it. */
export interface PackedEvent {
  body: Uint8Array
  dictionary_id: number | null
}

/** Resolves to undefined where retention has removed the body since the row was read. */
export type ReadBody = (packed: PackedEvent) => Promise<UnpackedBody | undefined>

/** Reads bodies with their dictionaries. */
export function createBodyReader(rows: Rows): ReadBody {
  return createUnpacker(rows, unpackBody)
}

/** Reads what `unpack` makes of a body and its dictionary; undefined as for `ReadBody`. */
export function createUnpacker<T>(
  rows: Rows,
  unpack: (body: Uint8Array, dictionary?: Uint8Array) => T,
): (packed: PackedEvent) => Promise<T | undefined> {
  const texts = rememberedTexts(rows)
  return async ({ body, dictionary_id: id }) => {
    if (id === null) return unpack(body)
    const text = texts.get(id) ?? (await readText(rows, id))
    if (text === undefined) return undefined
    texts.set(id, text)
    return unpack(body, text)
  }
}

function rememberedTexts(rows: Rows): LRUCache<number, Uint8Array> {
  const known = remembered.get(rows)
  if (known !== undefined) return known
  const texts = new LRUCache<number, Uint8Array>({
    maxSize: REMEMBERED,
    sizeCalculation: (text) => text.byteLength + 1,
  })
  remembered.set(rows, texts)
  return texts
}

/** A dictionary is removed after the last body that needs it. */
async function readText(rows: Rows, id: number): Promise<Uint8Array | undefined> {
  const row = await rows.selectFrom('body_dictionary').select('packed').where('id', '=', id).executeTakeFirst()
  return row && dictionaryText(row)
}
