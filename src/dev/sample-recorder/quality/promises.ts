import { type DocumentFact, requirementMembers, type Imported, sourceIn } from './imported.ts'

/** Adjacent lines of a document without an empty line between them. */
interface Block {
  text: string
  start: number
  end: number
}

/**
 * Reads the requirements of a prose document: a second-level heading is a group; a paragraph that starts with a bold
 * title is a requirement, the list after it holds its criteria, `Why:` its rationale, and `Facts:` its other members.
 * Throws for any other paragraph inside a group.
 */
export function readPromises(document: string, uri: string): Imported[] {
  const list: Imported[] = []
  const quoteSource = sourceIn(document, uri)
  let group = -1
  let component = ''
  const requirement = ({ start }: Block): Imported => {
    const last = list.at(-1)
    if (!last || list.length - 1 === group) throw new Error(`${uri}:${String(start)} belongs to no requirement`)
    return last
  }
  for (const block of splitBlocks(document)) {
    const { text, start, end } = block
    const [, title, statement] = /^\*\*(.+)\.\*\* (.+)$/s.exec(text) ?? []
    const [, name, rest = ''] = /^(Component|Why|Facts): (.+)$/s.exec(text) ?? []
    if (text.startsWith('## ')) {
      component = ''
      group = list.push({ ...plain(-1), title: text.slice(3), source: quoteSource(start, end) }) - 1
    } else if (group < 0) continue
    else if (name === 'Component') {
      component = rest
      list[group]!.component = rest
    } else if (title !== undefined && statement !== undefined) {
      const facts = requirementMembers([['component', component]])
      list.push({ ...plain(group), ...facts, title, statement, source: quoteSource(start, end) })
    } else {
      const told = requirement(block)
      told.source = quoteSource(told.source.line_start, end)
      if (name === 'Why') told.rationale = rest.charAt(0).toUpperCase() + rest.slice(1)
      else if (name === 'Facts') Object.assign(told, requirementMembers([['component', component], ...factsIn(rest)]))
      else if (text.startsWith('- ')) told.acceptance_criteria = readBullets(text)
      else throw new Error(`${uri}:${String(start)} is no part of a requirement`)
    }
  }
  return list
}

/** The members of a group; a requirement adds to them. */
function plain(group: number): Omit<Imported, 'source'> {
  const said = { title: '', statement: '', rationale: '', acceptance_criteria: [] }
  return { group, ...requirementMembers([['kind', 'group']]), ...said }
}

function splitBlocks(document: string): Block[] {
  const blocks: Block[] = []
  for (const [index, line] of document.split('\n').entries()) {
    const last = blocks.at(-1)
    if (line.trim() === '') continue
    if (last && last.end === index) blocks.splice(-1, 1, { ...last, text: `${last.text}\n${line}`, end: index + 1 })
    else blocks.push({ text: line, start: index + 1, end: index + 1 })
  }
  return blocks
}

function readBullets(text: string): Imported['acceptance_criteria'] {
  return text.split('\n').map((line) => ({ kind: 'CRITERION_KIND_RULE', text: line.replace(/^- /, '') }))
}

/** Reads facts such as `priority high; code `a`, `b`.` */
function factsIn(text: string): DocumentFact[] {
  return text
    .replace(/\.$/, '')
    .split('; ')
    .flatMap((part) => {
      const [name = '', ...values] = part.split(/,? /)
      return values.map((value): DocumentFact => [name, value.replaceAll('`', '')])
    })
}
