import type { Candidate } from '../../types.ts'
import type { Draft } from '../parts/drafts.ts'
import { type SectionKind, titleKind, titleModality } from './sections.ts'

interface Section {
  level: number
  title: string
  kind: SectionKind
  /** The requirement whose criteria the section holds. */
  target: Draft | undefined
  /** The last requirement below the title, and how many there are. */
  last: Draft | undefined
  count: number
}

/** A line that introduces a list: it applies to the deeper items. */
interface Lead {
  depth: number
  title: string
  kind: SectionKind
  draft: Draft | undefined
}

const root = (): Section => ({ level: 0, title: '', kind: 'plain', target: undefined, last: undefined, count: 0 })

/** The sections and lists around the current place of a document, and which requirement its criteria belong to. */
export class Outline {
  #sections: Section[] = [root()]
  #leads: Lead[] = []

  heading(level: number, title: string): void {
    this.#leads = []
    const before = this.#section
    while (this.#section.level >= level) this.#sections.pop()
    const kind = titleKind(title)
    const target = kind === 'criteria' ? this.#owner(before) : undefined
    const inherited = kind === 'plain' && this.#section.kind === 'excluded' ? 'excluded' : kind
    this.#sections.push({ ...root(), level, title, kind: inherited, target })
  }

  /** Notes a line such as "Acceptance criteria:", which applies to the list that follows. */
  label(depth: number, title: string): void {
    const kind = titleKind(title)
    const draft = kind === 'criteria' ? this.#owner(this.#section) : undefined
    this.#leads.push({ depth, title, kind, draft })
  }

  /** Notes a demand that introduces a list. */
  lead(depth: number, draft: Draft): void {
    this.#leads.push({ depth, title: '', kind: 'plain', draft })
  }

  /** Enters a block of that depth, which ends deeper lists. */
  enter(depth: number): void {
    while ((this.#leads.at(-1)?.depth ?? -1) >= depth) this.#leads.pop()
  }

  found(draft: Draft): void {
    for (const section of this.#sections) {
      section.last = draft
      section.count += 1
    }
  }

  get title(): string {
    return this.#section.title
  }

  get titles(): string[] {
    return this.#sections.map(({ title }) => title).filter(Boolean)
  }

  get kind(): SectionKind {
    const lead = this.#leads.findLast(({ kind }) => kind !== 'plain')
    if (lead !== undefined) return lead.kind
    return this.#sections.findLast(({ kind }) => kind !== 'plain')?.kind ?? 'plain'
  }

  get modality(): Candidate['modality'] | undefined {
    return titleModality(this.#leads.at(-1)?.title ?? '') ?? titleModality(this.title)
  }

  /** The requirement that takes the next sentence as its criterion. */
  get target(): { draft: Draft; isAcceptance: boolean } | undefined {
    const lead = this.#leads.findLast(({ draft }) => draft !== undefined)
    if (lead?.draft !== undefined) return { draft: lead.draft, isAcceptance: lead.kind === 'criteria' }
    const draft = this.#sections.findLast(({ target }) => target !== undefined)?.target
    return draft && { draft, isAcceptance: true }
  }

  /** The requirement that a scenario in this section belongs to. */
  get scenarioTarget(): Draft | undefined {
    if (this.#section.kind === 'scenario') return this.#sections.at(-2)?.last
    return this.#section.last
  }

  get scenarioTitle(): string {
    if (this.#section.kind !== 'scenario') return ''
    return this.#section.title.replace(/^(?:scenario|example)(?:\s*\d+)?\s*[:.-]?\s*/i, '')
  }

  /** Whose acceptance criteria start here: the user story or the only requirement that was found before. */
  #owner(before: Section): Draft | undefined {
    const parent = this.#section.last === undefined ? before : this.#section
    const { last } = parent
    if (last === undefined) return undefined
    return last.pattern === 'PATTERN_USER_STORY' || before.count === 1 || parent.count === 1 ? last : undefined
  }

  get #section(): Section {
    return this.#sections.at(-1) ?? root()
  }
}
