import { describeValue } from '../../result/teach.ts'

/** What a repair did; counted in the log. */
export type RepairKind =
  | 'number'
  | 'boolean'
  | 'json'
  | 'unwrap'
  | 'list'
  | 'choice'
  | 'status'
  | 'period'
  | 'absent'
  | 'word'
  | 'id'
  | 'clamp'
  | 'ignored'
  | 'looked_up'

const ITEMS_SHOWN = 5
/** One word, or up to three short ones: too little room for an instruction that was pasted in. */
const PLAIN = /^(?:[\w.:@+-]{0,40}|(?=.{0,20}$)[\w.:@+-]+(?: [\w.:@+-]+){1,2})$/

/** `limit "1000" -> 50`: short plain words as they are, anything else by its shape. */
export function change(name: string, from: unknown, to: unknown): string {
  const [before, after] = [shown(from), shown(to)]
  return before === after ? `${nameShown(name)}: converted inside` : `${nameShown(name)} ${before} -> ${after}`
}

function shown(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? JSON.stringify(value) : textShape(value)
  if (Array.isArray(value) && value.length <= ITEMS_SHOWN) {
    const items = value.map((item: unknown) => (typeof item === 'object' && item !== null ? undefined : shown(item)))
    if (items.every((item) => item?.startsWith('a text') === false)) return `[${items.join(', ')}]`
  }
  return describeValue(value)
}

function textShape(text: string): string {
  return `a text of ${String(text.length)} characters`
}

/** A key is shown only when it looks like a name: anything else could be a pasted text. */
export function nameShown(key: string): string {
  return /^[\w-]{1,40}$/.test(key) ? key : 'a key that is not a name'
}
