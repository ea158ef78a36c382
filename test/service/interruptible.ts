import type { Rows } from '../../src/service/sql/database.ts'

interface Interruption {
  read: () => Promise<unknown>
  meanwhile: () => Promise<unknown>
}

/** A connection that reads, and does other work between two of its queries. */
export function interruptible(reading: Rows) {
  let left = Infinity
  let interruption: () => Promise<unknown> = () => Promise.resolve()
  const rows = reading.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      left -= 1
      if (left === 0) await interruption()
      return result
    },
  })
  const { dialect, committedState, tableState } = reading
  return {
    rows: Object.assign(rows, { dialect, committedState, tableState }) as Rows,
    /** Resolves to whether `read` made as many queries: then the other work was done after that one. */
    interrupt: async (query: number, { read, meanwhile }: Interruption): Promise<boolean> => {
      left = query
      interruption = meanwhile
      await read()
      const wasReached = left <= 0
      left = Infinity
      return wasReached
    },
  }
}
