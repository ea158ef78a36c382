const KEY = /(?<![\p{L}\p{N}-])REQ-\d{1,15}(?![\p{L}\p{N}-])/giu

/** The keys of requirements that the text names, upper case, in their order and once each. */
export function keysIn(text: string): string[] {
  return [...new Set([...text.matchAll(KEY)].map(([key]) => key.toUpperCase()))]
}
