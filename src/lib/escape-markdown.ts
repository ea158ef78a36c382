/** Characters that are markup even behind a backslash: of elements, entities and mentions. */
const entities: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ['@', '&#64;'],
])

/**
 * The text in one line of GitHub-flavoured Markdown in which nothing is markup: no link, not even one that GitHub makes of
 * a bare address, no mention, no cell of a table.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]()#+!|~<>&@]/g, (found) => entities.get(found) ?? `\\${found}`)
    .replaceAll('://', '&#58;//')
    .replace(/\bwww\./gi, (found) => `${found.slice(0, -1)}&#46;`)
}
