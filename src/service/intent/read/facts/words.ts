/** Matches any of the words, separated by `|`, as a whole word. A word may be a regular expression. */
export function wordPattern(words: string): RegExp {
  return new RegExp(
    String.raw`(?<![\p{L}\p{N}])(?:${words
      .trim()
      .split(/\s*\|\s*/)
      .join('|')})(?![\p{L}\p{N}])`,
    'iu',
  )
}
