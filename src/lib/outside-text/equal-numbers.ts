/** In such a text the look-alikes of `findFlags` are digits alone. */
const PLAIN = /^[\n\t -~]*$/
/** A number outside of words, in which digits may replace letters, and outside of escapes such as `%20`. */
const NUMBER = /(?<![\w@$%])\d+(?![\w@$])/g

/**
 * The text with each digit of a number as 0. It has the same flags, and is the same for messages that differ in their
 * numbers, so that an answer can be remembered for all of them.
 */
export function withEqualNumbers(text: string): string {
  return PLAIN.test(text) ? text.replace(NUMBER, (digits) => '0'.repeat(digits.length)) : text
}
