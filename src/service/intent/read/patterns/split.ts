import { capitalised } from '../../../../lib/counted.ts'
import type { Demand } from './statement.ts'
import { maskQuotes } from './mask.ts'
import { findModals } from './modality.ts'
import { startsWithVerb } from './verbs.ts'

const JOINT = /(?:;\s+(?:and\s+)?|,\s+and\s+(?:also\s+|then\s+)?|,\s+|\s+and\s+(?:also\s+|then\s+)?)/gi
/** A verb after one of these words belongs to a clause inside the demand: "allow users to view and edit". */
const INNER =
  /\b(?:to|that|which|who|whether|if|when|while|where|so|by|before|after|until|unless|because|for|via|using|let|lets|help|make)\b/i

/** A half that makes no sense without the other: "… and it must say so next to the field". */
const LEANS = /^[^,;.]*\b(?:(?:say|do|mean|show) so|the same|instead|that one|the latter|the former)\b/i

/**
 * The demands that a sentence joins, each with the subject and the clauses of the whole: "The system shall A and shall B",
 * and "The system must A and B" when both halves start with a verb. Else the sentence alone.
 */
export function splitDemands(sentence: string, { modal, main, pattern, modality }: Demand): string[] {
  if (modal === undefined || pattern === 'PATTERN_USER_STORY') return [sentence]
  const masked = maskQuotes(sentence)
  const head = sentence.slice(0, modal.end)
  const parts: string[] = []
  let from = modal.end
  for (const joint of masked.slice(modal.end).matchAll(JOINT)) {
    const at = modal.end + joint.index
    const after = at + joint[0].length
    if (at < from) continue
    if (LEANS.test(masked.slice(after))) continue
    const own = ownModal(masked.slice(after))
    const isSplit = own !== undefined || (!modality.endsWith('_NOT') && isVerbJoint(masked, joint[0], from, at, after))
    if (!isSplit) continue
    parts.push(sentence.slice(from, at))
    from = after
  }
  parts.push(sentence.slice(from))
  return parts.length === 1
    ? [sentence]
    : parts.map((part, index) =>
        whole(index === 0 ? head : headBefore(part, sentence, modal.start, modal.end, main), part),
      )
}

/** "it must …", "the client shall …" or "shall …": a demand of its own. */
const OWN = /^(?:(?:it|they|the(?: \w+){1,3}) )?(?:MUST|SHALL|SHOULD|MAY|must|shall|should|may)\b/

function ownModal(text: string): string | undefined {
  const match = OWN.exec(text)?.[0]
  return match === undefined || findModals(match).length === 0 ? undefined : match
}

/** Whether the joint separates two verbs of the demand itself. */
function isVerbJoint(masked: string, joint: string, from: number, at: number, end: number): boolean {
  const before = masked.slice(from, at).trim()
  if (!before.includes(' ') || INNER.test(before) || !startsWithVerb(before)) return false
  const rest = masked.slice(end)
  if (!startsWithVerb(rest)) return false
  // A comma alone joins only in a series that an "and" ends.
  return /and|;/i.test(joint) || /,?\s+and\s/i.test(rest)
}

/** The words that a part needs before it: clauses, then the subject and the modal word unless the part has its own. */
function headBefore(part: string, sentence: string, modalStart: number, modalEnd: number, main: number): string {
  const own = ownModal(part)
  if (own === undefined) return sentence.slice(0, modalEnd)
  if (/^(?:MUST|SHALL|SHOULD|MAY|must|shall|should|may)\b/.test(own)) return sentence.slice(0, modalStart).trimEnd()
  if (!/^(?:it|they)\b/.test(own)) return sentence.slice(0, main).trimEnd()
  return sentence.slice(0, modalStart).trimEnd()
}

function whole(head: string, part: string): string {
  const text = part.trim().replace(/^(?:it|they)\s+(?=(?:must|shall|should|may)\b)/i, '')
  const joined = head === '' ? text : `${head.trimEnd()} ${text}`
  const closed = /[.!]$/.test(joined) ? joined : `${joined}.`
  return capitalised(closed)
}
