import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { withHeadlines } from '../../../test/bench/harness/headlines.ts'
import { readResults } from '../../../test/bench/harness/results.ts'
import { allowLists } from './allow-lists.ts'
import { clientTable } from './client-table.ts'
import { makeTranscripts } from './transcripts.ts'

export const readmeFile = resolve(import.meta.dirname, '../../../README.md')

/** A marker, and the code block below it. */
const MARKED = /^(<!-- transcript: ([\w-]+) -->\n\n```\n)[^]*?(?=\n```$)/gm

/** What follows from lists in the code: between a marker with its name and one that ends it. */
const GENERATED = /^(<!-- generated: ([\w-]+) -->\n)[^]*?(?=<!-- end of \2 -->$)/gm
const generated: Readonly<Record<string, () => string>> = { clients: clientTable, 'allow-lists': allowLists }

/**
 * `README.md` with every marked block replaced by what the calls return now, and the measured figures. Throws if a block
 * has no transcript, or a transcript no block.
 */
export async function readmeText(text = readFileSync(readmeFile, 'utf8')): Promise<string> {
  const transcripts = await makeTranscripts()
  const unused = new Set(transcripts.keys())
  const written = text.replaceAll(MARKED, (_, start: string, name: string) => {
    const transcript = transcripts.get(name)
    if (transcript === undefined)
      throw new Error(`README.md: there is no transcript "${name}" in src/dev/readme/transcripts.ts`)
    unused.delete(name)
    return start + transcript
  })
  if (unused.size > 0) throw new Error(`README.md has no block for the transcripts ${[...unused].join(', ')}`)
  return withHeadlines(replaceGenerated(written), readResults())
}

/** The text with every generated part as it follows from the code now. */
export function replaceGenerated(text: string): string {
  return text.replaceAll(GENERATED, (_, start: string, name: string) => `${start}\n${generated[name]?.() ?? ''}\n\n`)
}

if (import.meta.main) {
  const text = await readmeText()
  const isCurrent = text === readFileSync(readmeFile, 'utf8')
  if (!isCurrent) writeFileSync(readmeFile, text)
  console.log(`README.md ${isCurrent ? 'is up to date' : 'written'}`)
}
