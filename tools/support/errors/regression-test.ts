import { textMatching } from '../../../src/mcp/text/untrusted.ts'
import type { FixContext } from './fix-context.ts'

type Words = (key: string) => string

/**
 * Languages, by the ending of a file or the platform of an event, in which the name of a test is that of a function, so that
 * no brackets fit into it.
 */
const WITHOUT_TITLES: readonly (readonly [language: RegExp, words: Words])[] = [
  [
    /^(?:python|py)$/,
    (key) => `Call record_property("issue", "${key}") in the regression test, so that reports link it.`,
  ],
  [/^go$/, (key) => `Write the regression test as a subtest, t.Run("[${key}] …"), so that reports link it.`],
  [
    /^(?:java|kotlin|android|kt)$/,
    (key) => `Put [${key}] in the @DisplayName of the regression test, so that reports link it.`,
  ],
  [/^(?:csharp|dotnet|cs)$/, (key) => `Give the regression test the category ${key}, so that reports link it.`],
  [
    /^(?:native|cocoa|objc|swift|rust|php|rs|c|cc|cpp|cxx|m|mm)$/,
    (key) => `Register the regression test with record_tests, issue ${key}: its name has no room for the key.`,
  ],
]

const inItsName: Words = (key) => `Put [${key}] in the name of the regression test, so that reports link it.`

/** What the regression test needs for reports to tell that it reproduces the issue, in the language of the files or event. */
export function namingWords(key: string, files: readonly { file: string }[], { event }: FixContext): string {
  const ending = files.map(({ file }) => /\.(\w+)$/.exec(file)?.[1]).find((found) => found !== undefined)
  const language = ending ?? textMatching(event?.platform, /^[a-z]{1,20}$/) ?? ''
  const [, words = inItsName] = WITHOUT_TITLES.find(([pattern]) => pattern.test(language)) ?? []
  return words(key)
}
