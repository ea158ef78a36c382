const ISSUE_KEY = /^([A-Za-z][A-Za-z0-9]{1,9})-[1-9]\d{0,9}$/

/** Ids are opaque, but no service of ours or of others puts anything into them that a path or a proxy could read. */
const ID = /^(?!\.*$)[\w.:~-]{1,128}$/

/** Could the text be an id? Where not, asking the service for it would only be an attempt to leave its path. */
export function mayBeId(text: string): boolean {
  return ID.test(text)
}

/** `SHOP` of `SHOP-31`, in upper case; undefined for what is no issue key. */
export function keyPrefix(text: string): string | undefined {
  return ISSUE_KEY.exec(text)?.[1]?.toUpperCase()
}

/**
 * What a result calls an issue: its key where the key leads back to it, else its id. A key costs 4 tokens, a UUID 23
 * (decision 013). The key leads back when exactly one of the visible products has its prefix.
 */
export function issueName(
  { id, short_id: key }: { id: string; short_id?: string | undefined },
  products: readonly { key_prefix?: string | undefined }[],
): string {
  const prefix = key === undefined ? undefined : keyPrefix(key)
  if (key === undefined || prefix === undefined) return id
  return products.filter((product) => product.key_prefix === prefix).length === 1 ? key : id
}
