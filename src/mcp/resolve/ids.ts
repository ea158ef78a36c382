const ISSUE_KEY = /^([A-Za-z][A-Za-z0-9]{1,9})-[1-9]\d{0,9}$/

/** Ids are opaque, but no service uses characters in them that have a meaning in paths or for proxies. */
const ID = /^(?!\.*$)[\w.:~-]{1,128}$/

/** Whether the text could be an id. Requesting anything else could only be an attempt to leave the path. */
export function mayBeId(text: string): boolean {
  return ID.test(text)
}

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether the text is a UUID: an id, and never a name. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** `SHOP` of `SHOP-31`, in upper case; undefined if the text is not an issue key. */
export function keyPrefix(text: string): string | undefined {
  return ISSUE_KEY.exec(text)?.[1]?.toUpperCase()
}

/** Whether the text is the key that a quality branch gives to a requirement or a test: `REQ-?3`. */
export function isProvisional(text: string | undefined, prefix: 'REQ' | 'TC' | '' = ''): boolean {
  return text !== undefined && /^(?:REQ|TC)-\?[1-9]\d{0,9}$/i.test(text) && text.toUpperCase().startsWith(prefix)
}

/** `REQ-16` for other spellings of that key (`REQ16`, `req 16`, `16`); undefined for any other text. */
export function looseKey(text: string, prefix: string): string | undefined {
  const [, word = '', number] = /^([a-z]{0,10})[\s_#-]{0,3}0*([1-9]\d{0,9})$/i.exec(text.trim()) ?? []
  const fits = word === '' || word.toUpperCase() === prefix
  return number !== undefined && fits ? `${prefix}-${number}` : undefined
}

/**
 * The name of an issue in results: its key if the key identifies it, otherwise its id. A key costs 4 tokens, a UUID 23
 * (decision 013). The key identifies the issue if exactly one of the visible products has its prefix.
 */
export function issueName(
  { id, short_id: key }: { id: string; short_id?: string | undefined },
  products: readonly { key_prefix?: string | undefined }[],
): string {
  const prefix = key === undefined ? undefined : keyPrefix(key)
  if (key === undefined || prefix === undefined) return id
  return products.filter((product) => product.key_prefix === prefix).length === 1 ? key : id
}
