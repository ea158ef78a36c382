import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import type { Test } from '../../../src/mcp/resolve/types.ts'
import { combined, hasText, isSameText, knownName, quoted } from '../../../src/mcp/text/untrusted.ts'
import { existingPath, runnerName } from '../test-names.ts'

const LONGEST = 300

/**
 * Names and place of a test: what may be shown as a fact, and the rest for the untrusted block. Nobody vouches for project
 * and tags, which every report may change (contract §4.4).
 */
export async function describePlace(test: Test, local: LocalFiles | undefined) {
  const { automation_ref: place, title, names_known: isKnown, tags = [] } = test
  const { file_path: path, line = 0 } = place ?? {}
  const name = isSameText(place?.name, title) ? undefined : place?.name
  const suite = combined(place?.suite_path ?? [], (titles) => titles.join(' > '))
  const file = knownName(path, isKnown) ?? (await existingPath(path, local))
  const facts = {
    title: knownName(title, isKnown),
    name: knownName(name, isKnown),
    file,
    line: file === undefined || line === 0 ? undefined : line,
    suite: knownName(suite, isKnown),
    framework: runnerName(test.framework),
  }
  const given = { title, name, file: path, suite, framework: test.framework, project: place?.project }
  const reported = Object.entries(given).flatMap(([member, text]) =>
    hasText(text) && facts[member as keyof typeof facts] === undefined
      ? [[member, quoted`${text}`.cut(LONGEST)] as const]
      : [],
  )
  const at = facts.file === undefined && line > 0 ? { line } : {}
  return {
    facts,
    reported: { ...Object.fromEntries(reported), ...at, tags: tags.map((tag) => quoted`${tag}`.cut(60)) },
  }
}
