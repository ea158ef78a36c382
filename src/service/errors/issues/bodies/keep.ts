import type { Prepare } from '../../../sql/database.ts'
import { packWithout } from './body.ts'
import type { PackedBody } from '../../event/prepared-event.ts'
import { dictionaryText } from './dictionary.ts'

export interface KeptBody {
  body: Uint8Array
  dictionaryId: number | null
}

/** Of the transaction: which dictionaries bodies of an issue may be packed with. */
interface KnownDictionaries {
  hasDictionary(dictionaryId: number, issueId: string): Promise<boolean>
  addDictionary(dictionaryId: number, issueId: string): void
}

interface Keeping {
  productId: number
  issueId: string
  /** The hash that the dictionary is for. */
  hash: string
  /** Whether a dictionary that is not stored yet may be. */
  mayAdd: boolean
}

/**
 * What to write for a body of an issue: stores its dictionary for later events with the hash, or packs the body again
 * without it. Runs inside the caller's transaction, before the occurrence is inserted.
 */
export async function keepBody(
  { prepare, rows }: { prepare: Prepare; rows: KnownDictionaries },
  { body, dictionary }: PackedBody,
  { productId, issueId, hash, mayAdd }: Keeping,
): Promise<KeptBody> {
  const { id, madeAt, packed } = dictionary
  if (await rows.hasDictionary(id, issueId)) return { body, dictionaryId: id }
  const isStored = (await prepare('SELECT 1 AS found FROM body_dictionary WHERE id = ?').get(id)) !== undefined
  if (!isStored && !mayAdd) return { body: packWithout(body, dictionaryText(dictionary)), dictionaryId: null }
  if (!isStored) {
    const add = 'INSERT INTO body_dictionary (id, product_id, made_at, packed) VALUES (?, ?, ?, ?)'
    await prepare(add).send(id, productId, madeAt, packed)
    await prepare('UPDATE issue_hash SET dictionary_id = ? WHERE product_id = ? AND hash = ?').send(id, productId, hash)
  }
  await prepare('INSERT INTO body_dictionary_issue (dictionary_id, issue_id) VALUES (?, ?)').send(id, issueId)
  rows.addDictionary(id, issueId)
  return { body, dictionaryId: id }
}
