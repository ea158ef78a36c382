import type { InputOf } from '../../../contract/index.ts'
import { ServiceError } from '../../../errors.ts'
import { readIntent } from '../read/index.ts'
import type { Reading, SourceDocument } from '../types.ts'
import { itemCandidates } from './items.ts'

export type DistillInput = InputOf<'distillIntent'>

const NAME_LENGTH = 120

/** The documents of a request; none where it has items. Throws `invalid_argument` unless it has one of the three with content. */
export function readDocuments({ text, documents, items }: DistillInput): SourceDocument[] {
  const given = Object.entries({ text, documents, items }).filter(([, value]) => value !== undefined)
  if (given.length !== 1) {
    const names = given.map(([name]) => name)
    const problem = names.length === 0 ? 'nothing to distill' : `${names.join(' and ')} were both given`
    throw refuse(names[0] ?? 'text', `${problem}; pass exactly one of text, documents and items`)
  }
  const read = (documents ?? (text === undefined ? [] : [{ name: 'text', content: text }])).map(toDocument)
  if (items === undefined && read.every(({ content }) => content.trim() === '')) {
    throw refuse(given[0]![0], 'the text is empty; pass the change request itself')
  }
  return read
}

/** Where drafts are written, which a request may give in one way only. */
export function checkTarget({ branch_id: id, branch_name: name }: DistillInput): void {
  if (id !== undefined && name !== undefined) {
    throw refuse('branch_name', 'branch_id and branch_name were both given; pass branch_id to add to an open branch')
  }
}

function refuse(field: string, message: string): ServiceError {
  return new ServiceError('invalid_argument', message, {
    reason: 'FIELD_INVALID',
    violations: [{ field, description: message }],
  })
}

function toDocument({
  name,
  content,
  uri = '',
  media_type,
}: NonNullable<DistillInput['documents']>[number]): SourceDocument {
  return { name, content, uri, mediaType: media_type }
}

/** Reads the requirements of a request; items are taken as they are. */
export function readRequest(
  { items, options = {}, default_priority: defaultPriority }: DistillInput,
  documents: readonly SourceDocument[],
  pause: () => Promise<void>,
): Promise<Reading> {
  if (items !== undefined) {
    const candidates = itemCandidates(items, defaultPriority ?? 'PRIORITY_MEDIUM')
    return Promise.resolve({ candidates, lines: [], sentences: items.length, cuts: [] })
  }
  const {
    min_confidence: minConfidence = 0.5,
    max_requirements: maxRequirements = 200,
    include_informative = false,
  } = options
  return readIntent(
    documents,
    { minConfidence, maxRequirements, includeInformative: include_informative, defaultPriority },
    pause,
  )
}

/** The name of a new branch: the first heading, else the first thing that the request has. */
export function branchName({ items }: DistillInput, documents: readonly SourceDocument[]): string {
  const heading = documents.flatMap(({ content }) => /^(?:#{1,6}[ \t]+|Feature:)(.+)$/mu.exec(content)?.[1] ?? [])[0]
  const document = documents.find(({ name }) => name !== 'text')?.name
  const name = heading ?? document ?? items?.[0]?.title ?? documents[0]?.content.trim().split('\n')[0] ?? ''
  return (
    name
      .replace(/[#*_`]+/gu, '')
      .replace(/\s+/gu, ' ')
      .trim()
      .slice(0, NAME_LENGTH)
      .trim() || 'Distilled intent'
  )
}
