/** How people ask for something without a modal word, as part of a pattern: "please", "we agreed to". */
export const asking =
  "(?:please,?|let's|let us|we want to|we would like to|we'd like to|we(?:'ve| have)? (?:agreed|decided) to)"

/** The same, or with a modal word: "we should". */
export const askingOrModal = `(?:${asking}|we (?:will|should|must|can|need to))`
