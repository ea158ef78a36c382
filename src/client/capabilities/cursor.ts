/** A place in a list: the page that a token of the deployment leads to, and the number of its rows that were read before. */
export interface Place {
  /** Undefined on the first page. */
  token: string | undefined
  skip: number
}

const PARTLY_READ = /^~(\d{1,6})~([^]*)$/

/** Reads a cursor: a token of the deployment, or one of ours for a page that was read in part. */
export function readCursor(cursor: unknown): Place {
  if (typeof cursor !== 'string' || cursor === '') return { token: undefined, skip: 0 }
  const [, skip, token] = PARTLY_READ.exec(cursor) ?? []
  if (skip === undefined) return { token: cursor, skip: 0 }
  return { token: token === '' ? undefined : token, skip: Number(skip) }
}

/** The cursor of a place, which `readCursor` reads. */
export function writeCursor({ token, skip }: Place): string {
  return skip === 0 ? (token ?? '') : `~${String(skip)}~${token ?? ''}`
}
