import type { Candidate } from '../../types.ts'

export type SectionKind = 'wanted' | 'decided' | 'criteria' | 'scenario' | 'background' | 'excluded' | 'plain'

interface TitleRule {
  kind: SectionKind
  pattern: RegExp
}

/** What a title says about the text below it; the first match counts. */
const TITLES: readonly TitleRule[] = [
  {
    kind: 'excluded',
    pattern:
      /\b(?:out of scope|not in scope|non[- ]?goals?|non[- ]?requirements?|won'?t (?:have|do)|will not (?:have|do)|open questions?|questions|alternatives?|rejected|requirements? (?:language|notation)|terminology|definitions?|glossary|references|acknowledge?ments?|change ?log|revision history|history|attendees|participants|agenda|parking lot|future work|table of contents)\b/i,
  },
  {
    kind: 'criteria',
    pattern:
      /^(?:the )?(?:acceptance(?: criteria| tests?| conditions?)?|criteria|conditions? of satisfaction|definition of done|success criteria|ac)$/i,
  },
  {
    kind: 'background',
    pattern:
      /^(?:notes?|background|context|introduction|motivation|rationale|overview|summary|discussion|situation|status quo|problems?)$/i,
  },
  { kind: 'decided', pattern: /\b(?:decisions?|decided|agreed|agreements?|conclusions?|resolutions?)\b/i },
  { kind: 'scenario', pattern: /^(?:scenario|example)\b/i },
  {
    kind: 'wanted',
    pattern:
      /\b(?:requirements?|acceptance|features?|goals?|objectives?|scope|changes?|outcomes?|actions?|action items?|deliverables?|must[- ]haves?|should[- ]haves?|could[- ]haves?|nice[- ]to[- ]haves?|to ?dos?|tasks?|proposals?|what we want|we (?:want|need)|wish(?:es|list)?|user stor(?:y|ies)|behaviou?rs?|functionality|capabilities|improvements?|enhancements?|additions|removals|added|changed|removed|deprecated)\b/i,
  },
]

const MODALITIES: readonly (readonly [RegExp, Candidate['modality']])[] = [
  [/\b(?:nice[- ]to[- ]have|could[- ]have|optional)s?\b/i, 'MODALITY_MAY'],
  [/\bshould[- ]haves?\b/i, 'MODALITY_SHOULD'],
  [/\bmust[- ]haves?\b/i, 'MODALITY_MUST'],
]

/** What the title of a section, or the line that introduces a list, says about what follows. */
export function titleKind(title: string): SectionKind {
  const text = title.replace(/^[\d.\s)]+/, '').replace(/[:\s]+$/, '')
  return TITLES.find(({ pattern }) => pattern.test(text))?.kind ?? 'plain'
}

/** The modality that a title such as "Nice to have" gives to the items below it. */
export function titleModality(title: string): Candidate['modality'] | undefined {
  return MODALITIES.find(([pattern]) => pattern.test(title))?.[1]
}
