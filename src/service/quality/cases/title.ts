import { cutWithEllipsis, onOneLine } from '../../../lib/text.ts'

/** A name as a title within the limits of the contract: 1 to 200 characters. */
export function testTitle(name: string): string {
  return cutWithEllipsis(onOneLine(name), 200) || '(without a name)'
}
