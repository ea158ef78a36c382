import { Quoted } from '../../../src/mcp/text/untrusted.ts'
import { evidenceWord, issueState } from '../../../src/mcp/result/issue-words.ts'
import type { Issue } from '../errors/issues.ts'

const TITLE_CHARACTERS = 120
const CAUSES_CHARACTERS = 80
const USUAL_EVIDENCE: ReadonlySet<string> = new Set(['strong', 'partial', 'not stated'])

/** What is not usual: `new, unhandled`, `regressed`, `warning`. */
export function stateCell(issue: Issue): string {
  const { level, handled } = issue
  const state = issueState(issue)
  return [state !== 'ongoing' && state, level !== 'error' && level, handled === false && 'unhandled']
    .filter(Boolean)
    .join(', ')
}

/** Only of issues that may not be real: the word costs two tokens in each row. */
export function doubtfulEvidence(issue: Issue): string | undefined {
  const word = evidenceWord(issue)
  return USUAL_EVIDENCE.has(word) ? undefined : word
}

/** `ImportFailed: … ← AmountError ← InvalidOperation`: causes tell apart issues of the same title. */
export function titleWithCauses({ title, causes = [] }: Issue): Quoted {
  const chain = causes.flatMap((cause) => [' ← ', cause])
  return new Quoted([title, ...chain], TITLE_CHARACTERS + (causes.length === 0 ? 0 : CAUSES_CHARACTERS), false)
}
