import type { Bindable, Prepare } from '../../../../sql/database.ts'

/** An occurrence of this transaction. */
export interface NewOccurrence {
  id: string
  /** The number of its row, once that is written. */
  seq: number
}

/** Gathers the occurrences of a transaction, which are inserted together. */
export interface NewOccurrences {
  /** `columns` are those after the id. */
  add(id: string, columns: readonly Bindable[]): NewOccurrence
  /** Inserts what was gathered so far, in its order. */
  write(): Promise<void>
}

/** Valid for one transaction. */
export function createNewOccurrences(prepare: Prepare): NewOccurrences {
  let gathered: { occurrence: NewOccurrence; row: readonly Bindable[] }[] = []
  return {
    add(id, columns) {
      const occurrence = { id, seq: 0 }
      gathered.push({ occurrence, row: [id, ...columns] })
      return occurrence
    },
    async write() {
      const written = gathered
      gathered = []
      const numbers = await prepare(
        `INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, place_id, user_hash,
           summary, body, dictionary_id, size_bytes, before_first_seen, before_last_seen, before_times_seen, vouched)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).insertEach(written.map(({ row }) => row))
      // One was inserted for each.
      for (const [index, { occurrence }] of written.entries()) occurrence.seq = numbers[index] as number
    },
  }
}
