/**
 * Where runners put the values of a parameterised test: `%s` and its like of Vitest, Jest and Mocha, `%#` and `%$` of the
 * first two, their `$name` and `$#`, `{0}` and `{index}` of JUnit and NUnit, `${…}` of template literals.
 */
const PLACEHOLDER =
  /(?<![\d%])%(?:[sdifjoOcp#$](?![a-z])|\.\d+f)|(?<!\w)\$(?:#|[a-z_][\w.]*)|\$\{[^}]*\}|\{(?:\d+|index|displayName|arguments)\}/

/** Whether a title in the code is a template of several cases, whose names in reports differ from it. */
export function isTemplate(title: string): boolean {
  return PLACEHOLDER.test(title)
}
