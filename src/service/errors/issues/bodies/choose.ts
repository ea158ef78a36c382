import { LRUCache } from 'lru-cache'
import type { NormalEvent } from '../../event/event.ts'
import type { Rows } from '../../../sql/database.ts'
import type { Dictionary } from '../../event/prepared-event.ts'
import { isCurrent, makeDictionary } from './dictionary.ts'

/** What remembering one takes in addition to its text. */
const ENTRY_BYTES = 300

/** The dictionary for an event of a product with a hash. It may not be stored yet. */
export type ChooseDictionary = (
  productId: number,
  hash: string,
  event: Pick<NormalEvent, 'raw_payload' | 'received_at'>,
) => Promise<Dictionary>

/**
 * Remembers the dictionaries of the hashes that came last, in `keptBytes`: 3 KB for each issue. The first event of a hash
 * makes one.
 */
export function createDictionaries(rows: Rows, { keptBytes }: { keptBytes: number }): ChooseDictionary {
  const kept = new LRUCache<string, Dictionary>({
    maxSize: keptBytes,
    sizeCalculation: ({ packed }) => packed.byteLength + ENTRY_BYTES,
  })
  const readDictionary = createReader(rows)
  return async (productId, hash, event) => {
    const key = `${String(productId)} ${hash}`
    const isUsable = (known: Dictionary | undefined) => known !== undefined && isCurrent(known, event.received_at)
    const remembered = kept.get(key)
    if (remembered !== undefined && isUsable(remembered)) return remembered
    const stored = await readDictionary(productId, hash)
    // Another event may have made one meanwhile.
    const chosen = [kept.get(key), stored].find(isUsable) ?? makeDictionary(event)
    kept.set(key, chosen)
    return chosen
  }
}

/** Its query is built once: that takes longer than running it. */
function createReader(rows: Rows): (productId: number, hash: string) => Promise<Dictionary | undefined> {
  const query = rows
    .selectFrom('issue_hash')
    .innerJoin('body_dictionary', 'body_dictionary.id', 'issue_hash.dictionary_id')
    .select(['body_dictionary.id', 'made_at', 'packed'])
    .where('issue_hash.product_id', '=', 0)
    .where('hash', '=', '')
    .compile()
  return async (productId, hash) => {
    const asked: typeof query = { ...query, parameters: [productId, hash] }
    const [row] = (await rows.executeQuery(asked)).rows
    return row && { id: row.id, madeAt: row.made_at, packed: row.packed }
  }
}
