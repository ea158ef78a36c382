import type { Candidate } from '../../types.ts'
import { wordPattern } from './words.ts'

type Priority = Candidate['priority']

/** What the text itself says; the first match counts. */
const STATED: readonly (readonly [Priority, RegExp])[] = [
  [
    'PRIORITY_CRITICAL',
    wordPattern('p0|(?:critical|highest|top)[- ]priority|priority:? (?:critical|highest)|blocker|show[- ]?stopper'),
  ],
  ['PRIORITY_HIGH', wordPattern('p1|high[- ]priority|priority:? high|urgent(?:ly)?|must[- ]have')],
  ['PRIORITY_MEDIUM', wordPattern('p2|(?:medium|normal)[- ]priority|priority:? (?:medium|normal)|should[- ]have')],
  [
    'PRIORITY_LOW',
    wordPattern(
      'p[345]|low(?:er|est)?[- ]priority|priority:? (?:low|lowest)|nice[- ]to[- ]have|could[- ]have|not urgent|someday',
    ),
  ],
]
/** What is damaged beyond repair: security, payment, privacy, loss of data. */
const CRITICAL = wordPattern(
  'securit\\w+|secure(?:d|ly)?|password\\w*|credentials?|encrypt\\w*|authenticat\\w+|authori[sz](?:e|ed|es|ation)|unauthori[sz]ed|vulnerab\\w+|attack\\w*|payments?|pay(?:s|ing)?|charg(?:e|es|ed|ing) (?:the |a )?(?:card|customer|user|account)|refund\\w*|credit cards?|card (?:number|data)s?|invoic\\w+|privacy|private data|personal (?:data|information)|gdpr|pii|data loss|los(?:e|es|ing) (?:any |the )?data|corrupt\\w*|safety',
)

/** MUST is high, SHOULD medium, MAY low, unless the text or the caller says otherwise. */
export function priorityFor(modality: Candidate['modality'], text: string, given: Priority | undefined): Priority {
  const stated = STATED.find(([, words]) => words.test(text))?.[0]
  if (stated !== undefined) return stated
  if (given !== undefined) return given
  if (modality === 'MODALITY_MAY') return 'PRIORITY_LOW'
  if (modality.startsWith('MODALITY_SHOULD')) return 'PRIORITY_MEDIUM'
  return CRITICAL.test(text) ? 'PRIORITY_CRITICAL' : 'PRIORITY_HIGH'
}
