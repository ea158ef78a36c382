import { TeachingError } from '../result/teach.ts'

/** More list items and members than any tool takes. */
const MOST_ELEMENTS = 10_000

/** Throws a `TeachingError` for arguments with so many parts that to read and repair them would take long. */
export function refuseManyElements(raw: unknown): void {
  let count = 0
  const open = [raw]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    const parts: unknown[] = Array.isArray(value) ? value : Object.values(value)
    count += parts.length
    if (count > MOST_ELEMENTS) throw tooMany()
    for (const part of parts) open.push(part)
  }
}

function tooMany(): TeachingError {
  return new TeachingError('invalid_argument', 'the arguments have too many list items and members', {
    expected: `at most ${MOST_ELEMENTS.toLocaleString('en')} in one call; make several calls`,
  })
}
