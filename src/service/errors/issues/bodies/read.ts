import { LRUCache } from 'lru-cache'
import type { Rows } from '../../../sql/database.ts'
import { unpackBody, type UnpackedBody } from './body.ts'
import { dictionaryText } from './dictionary.ts'

/** Dictionaries that one reader remembers: events that are read together are often of one issue. */
const REMEMBERED = 20

/** The columns of an occurrence that hold its event, of one that still has it. */
export interface PackedEvent {
  body: Uint8Array
  dictionary_id: number | null
}

export type ReadBody = (packed: PackedEvent) => Promise<UnpackedBody>

/** Reads bodies with their dictionaries, for one piece of work. */
export function createBodyReader(rows: Rows): ReadBody {
  const texts = new LRUCache<number, Uint8Array>({ max: REMEMBERED })
  return async ({ body, dictionary_id: id }) => {
    if (id === null) return unpackBody(body)
    const text = texts.get(id) ?? (await readText(rows, id))
    texts.set(id, text)
    return unpackBody(body, text)
  }
}

async function readText(rows: Rows, id: number): Promise<Uint8Array> {
  const row = await rows.selectFrom('body_dictionary').select('packed').where('id', '=', id).executeTakeFirst()
  // A dictionary is removed after the last body that needs it.
  if (row === undefined) throw new Error(`body dictionary ${String(id)} is missing`)
  return dictionaryText(row)
}
