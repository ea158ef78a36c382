/** Whether one of the words, which may hold regular expressions, occurs as a whole word. */
export function wordPattern(words: string): RegExp {
  return new RegExp(
    String.raw`(?<![\p{L}\p{N}])(?:${words
      .trim()
      .split(/\s*\|\s*/)
      .join('|')})(?![\p{L}\p{N}])`,
    'iu',
  )
}
