import { isSameData, type ComparedEvent } from '../../../src/mcp/variation/index.ts'
import { counted } from '../../../src/lib/counted.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { IssueInFull } from '../../../src/mcp/resolve/types.ts'
import { describePage, USUAL_ROWS, type Page } from '../../../src/mcp/result/page.ts'
import {
  hasText,
  isSameText,
  knownName,
  nameContains,
  quoted,
  type BlockContent,
} from '../../../src/mcp/text/untrusted.ts'
import { toSecond } from '../columns.ts'
import { crumbBefore } from '../errors/events.ts'
import { readEventsInFull, type EventRow } from '../compared/sample-events.ts'
import { varyingTags } from './varying-tags.ts'

export interface EventQuery {
  environment?: string | undefined
  release?: string | undefined
  match?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

interface EventList {
  /** `3 of 140 occurrences in this environment, with this text shown.` */
  words: string
  rows: {
    id: string
    at: string | undefined
    level: EventRow['level']
    environment: string | undefined
    release: string | undefined
  }[]
  /** What outsiders wrote, by which the occurrences of the page can be told apart. */
  texts: { [name: string]: BlockContent }[]
  page: Page
}

/** Whether the caller asks for a part of the occurrences and not for the issue. */
export function isPartOfEvents({ environment, release, match, cursor }: EventQuery): boolean {
  return [environment, release, match, cursor].some((value) => value !== undefined)
}

/** One page of an issue's occurrences; each is read in full as far as three seconds allow, to say what sets it apart. */
export async function listEvents(full: IssueInFull, query: EventQuery, context: Context): Promise<EventList> {
  const { api, signal } = context
  const filter = await resolveFilter(full, query, context)
  const { match: q, limit: page_size = USUAL_ROWS, cursor: page_token } = query
  const response = await api.listIssueEvents({ id: full.issue.id, ...filter, q, page_size, page_token }, { signal })
  const events = await readEventsInFull(full.issue.id, response.events, context)
  const isSearched = !response.reading.notApplied.includes('q')
  const rows = isSearched ? response.events : response.events.filter((row) => holds(row, events.get(row.id), q ?? ''))
  const page = describePage(withoutSearch(response), rows.length, query.cursor)
  const words = isSearched ? pageWords(query, page) : unsearchedWords(response.events.length, rows.length)
  return {
    words: `${words} ${page.notes}`.trim(),
    rows: rows.map((row) => ({
      id: row.id,
      at: toSecond(row.timestamp),
      level: row.level === full.issue.level ? undefined : row.level,
      environment: knownName(row.environment, row.environment_known),
      release: knownName(row.release, row.release_known),
    })),
    texts: tellApart(full, rows, events),
    page: { ...page, lists: ['events'] },
  }
}

/** The page without its note about the search, which is made here if the deployment does not search. */
function withoutSearch<P extends { reading: { notApplied: readonly string[] } }>(response: P): P {
  const { reading } = response
  return { ...response, reading: { ...reading, notApplied: reading.notApplied.filter((name) => name !== 'q') } }
}

function unsearchedWords(read: number, shown: number): string {
  const found = shown === 0 ? 'none shows' : `${String(shown)} show${shown === 1 ? 's' : ''}`
  return `This deployment does not search: of the ${counted(read, 'row')} of this page, ${found} the text.`
}

async function resolveFilter({ issue }: IssueInFull, { environment, release }: EventQuery, { resolve }: Context) {
  if (environment === undefined && release === undefined) return {}
  const product = issue.product_id ?? (await resolve.product(undefined)).id
  const place = environment === undefined ? undefined : await resolve.environment(product, environment)
  const version = release === undefined ? undefined : await resolve.release(product, release, place?.id)
  return { environment_id: place?.id, release_id: version?.id }
}

function pageWords({ environment, release, match }: EventQuery, { shown, total, cursor }: Page): string {
  const filters = [
    environment !== undefined && 'in this environment',
    release !== undefined && 'of this release',
    match !== undefined && 'with this text',
  ].filter((word) => word !== false)
  const which = filters.length === 0 ? '' : ` ${filters.join(', ')}`
  if (shown === 0 && cursor !== undefined) return `No occurrence${which} so far; the next page searches on.`
  if (total === 0) return `no occurrence${which}.`
  if (total === undefined) return `${counted(shown, 'occurrence')}${which} shown here.`
  return shown < total
    ? `${String(shown)} of ${counted(total, 'occurrence')}${which} shown.`
    : `${counted(total, 'occurrence')}${which}, all shown.`
}

function holds(row: EventRow, event: ComparedEvent | undefined, text: string): boolean {
  const tags = event?.tags?.map(({ value }) => value) ?? []
  const values = event?.exceptions?.map(({ value }) => value) ?? []
  const crumbs = event?.breadcrumbs?.map(({ message }) => message) ?? []
  const texts = [row.title, row.message, row.transaction, event?.request?.url, ...tags, ...values, ...crumbs]
  return texts.some((each) => nameContains(each, text))
}

/** The name of an environment or release where no member vouches for it. */
function unlessKnown(name: EventRow['release'], isKnown: boolean | undefined): BlockContent {
  return hasText(name) && knownName(name, isKnown) === undefined ? quoted`${name}`.cut(120) : undefined
}

/** Title, tags and last breadcrumb of each row, where they differ from the issue's or between the rows. */
function tellApart({ issue }: IssueInFull, rows: readonly EventRow[], events: ReadonlyMap<string, ComparedEvent>) {
  const read = rows.map(({ id }) => events.get(id))
  const crumbs = read.map((event) => event?.breadcrumbs?.at(-1))
  const [first] = crumbs
  const hasOtherCrumbs = crumbs.some(
    (crumb) => !isSameData(crumb?.message, first?.message) || !isSameData(crumb?.data, first?.data),
  )
  const tags = varyingTags(read)
  return rows.map(({ id, title, message, transaction, ...row }, index) => {
    const event = read[index]
    const crumb = crumbs[index]
    return {
      id,
      environment: unlessKnown(row.environment, row.environment_known),
      release: unlessKnown(row.release, row.release_known),
      tags: tags[index],
      last_breadcrumb:
        hasOtherCrumbs && crumb !== undefined
          ? crumbBefore(event?.timestamp, { timestamp: event?.last_breadcrumb_at, ...crumb })
          : undefined,
      message: hasText(message) && !isSameText(message, title) ? quoted`${message}`.cut(120) : undefined,
      transaction: isSameText(transaction, rows[0]?.transaction ?? '') ? undefined : quoted`${transaction}`.cut(80),
      title: isSameText(title, issue.title) ? undefined : quoted`${title}`.cut(120),
    }
  })
}
