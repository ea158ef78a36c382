import type { Endpoint } from '../../contract/base/endpoint.ts'
import type { Reading } from './reading.ts'
import type { Capabilities } from './capabilities.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { filtersByEndpoint, type Row } from './filters.ts'
import { inOrder } from './in-order.ts'
import { judgeFilters, type AskedFilter } from './judge.ts'
import { nextToken, paginationIn, totalIn } from './paging.ts'
import { rowId, rowsIn, withRows } from './rows.ts'
import { askAccepted, without, type Answer, type Ask, type Request } from './parameters.ts'

/** The most that one call reads of a list to filter it here. */
const PAGES = 10
const ROWS = 1000
const READING_MS = 10_000
/** Rows of a page while it is filtered here, and of a call that does not say how many it wants. */
const PAGE_SIZE = 200

export interface ListTools {
  ask: Ask
  capabilities: Capabilities
  /** Epoch milliseconds. */
  now: () => number
}

/**
 * Reads one page of a list, at most `page_size` rows, of a deployment that may ignore or refuse what it was asked for
 * (contract §0.9): filters that it does not apply are applied to its rows here, page by page within bounds, and `reading`
 * says what was done and whether there are more rows. A token that repeats or leads to the same rows ends the list.
 */
export async function readList(endpoint: Endpoint, request: Request, tools: ListTools): Promise<Answer> {
  return new Walk(endpoint, request, tools).read()
}

/** How a list ended: stated by the deployment, not stated, or the reading stopped before the end. */
type End = 'stated' | 'unstated' | 'stopped'

class Walk {
  readonly #endpoint: Endpoint
  readonly #request: Request
  readonly #tools: ListTools
  readonly #filters: readonly AskedFilter[]
  readonly #startedAt: number
  readonly #rows: Row[] = []
  readonly #seen = new Set<unknown>()
  readonly #tokens = new Set<string>()
  /** `page_size` of the newest request. */
  #size: number | undefined
  #pages = 0
  #rowsRead = 0
  /** Filters that are applied here and that a row taken does not say, and those that a row has said. */
  readonly #unsaid = new Set<string>()
  readonly #said = new Set<string>()
  #first: Answer = {}
  #next = ''

  constructor(endpoint: Endpoint, request: Request, tools: ListTools) {
    this.#endpoint = endpoint
    this.#request = request
    this.#tools = tools
    this.#startedAt = tools.now()
    const known = filtersByEndpoint.get(endpoint) ?? {}
    this.#filters = Object.entries(known)
      .map(([name, filter]) => ({ name, filter, value: request[name] }))
      .filter(({ value }) => value !== undefined && value !== '')
  }

  async read(): Promise<Answer> {
    const start = readCursor(this.#request['page_token'])
    let { token, skip } = start
    let end: End | undefined
    while (end === undefined) {
      const answer = await this.#page(token, skip)
      const rows = this.#rowsIn(answer)
      const next = nextToken(answer)
      if (skip === 0 && this.#isRepeated(token, rows)) {
        end = 'unstated'
        break
      }
      await this.#learn(answer, rows, next)
      if (this.#isTooSmall(rows, next)) {
        this.#rowsRead = 0
        continue
      }
      const stopped = this.#take(rows, skip, token)
      end = stopped ? 'stopped' : this.#endAfter(token, next, rows)
      skip = Math.max(0, skip - rows.length)
      token = next
    }
    return this.#answer(end, start.token === undefined && start.skip === 0)
  }

  #rowsIn(answer: Answer): readonly Row[] {
    return rowsIn(this.#endpoint, answer)
  }

  #state(name: string) {
    return this.#tools.capabilities.state(this.#endpoint.path, name)
  }

  /** Filters that the deployment does not apply. */
  #unapplied(): AskedFilter[] {
    return this.#filters.filter(({ name }) => ['ignored', 'refused', 'lost'].includes(this.#state(name) ?? ''))
  }

  /** Those of them that are applied here. */
  #here(): AskedFilter[] {
    return this.#unapplied().filter(({ name, filter }) => filter.isForCaller !== true && this.#state(name) !== 'lost')
  }

  #limit(): number {
    const { page_size: size } = this.#request
    const limit = typeof size === 'number' ? size : PAGE_SIZE
    const unique = this.#here().find(({ filter }) => filter.isUnique)
    return unique === undefined ? limit : Math.min(limit, [unique.value].flat().length)
  }

  async #page(token: string | undefined, skip: number): Promise<Answer> {
    const { ask, capabilities } = this.#tools
    const isPart = this.#here().length > 0 || skip > 0
    const { page_size: size } = this.#request
    this.#size = isPart ? PAGE_SIZE : typeof size === 'number' ? size : undefined
    const names = this.#unapplied().map(({ name }) => name)
    const request = {
      ...without(this.#request, [...names, 'page_token', 'page_size']),
      ...(this.#size !== undefined && { page_size: this.#size }),
      ...(token !== undefined && { page_token: token }),
    }
    return askAccepted(this.#endpoint, request, ask, capabilities)
  }

  /** Whether a page without a token that is filtered here may have more rows than were asked for. */
  #isTooSmall(rows: readonly Row[], next: string | undefined): boolean {
    const isSmall = this.#size !== undefined && this.#size < PAGE_SIZE && rows.length >= this.#size
    return isSmall && next === undefined && this.#here().length > 0 && this.#state('page_size') !== 'refused'
  }

  /** The list that is paged: other filters may have the same tokens. */
  #list(): string {
    return `${this.#endpoint.path} ${JSON.stringify(without(this.#request, ['page_token', 'page_size']))}`
  }

  /** Whether the page begins as the one that led to it: the deployment does not know the token. */
  #isRepeated(token: string | undefined, [row]: readonly Row[]): boolean {
    const id = row && rowId(row)
    if (token === undefined || id === undefined) return false
    return this.#tools.capabilities.pageBefore(this.#list(), token) === id
  }

  async #learn(answer: Answer, rows: readonly Row[], next: string | undefined): Promise<void> {
    const { capabilities, ask, now } = this.#tools
    const { path } = this.#endpoint
    const size = this.#state('page_size') === 'refused' ? undefined : this.#size
    const isFull = size !== undefined && rows.length === size && next !== undefined && next !== ''
    capabilities.noteFacts(path, {
      ...(next !== undefined && { hasTokens: true }),
      ...(totalIn(answer) !== undefined && { hasTotals: true }),
      ...(isFull && { respectsPageSize: true }),
      ...(size !== undefined && rows.length > size && { respectsPageSize: false }),
    })
    const sent = this.#filters.filter(({ name }) => this.#state(name) === 'accepted')
    await judgeFilters(sent, rows, next !== '', {
      endpoint: this.#endpoint,
      request: this.#request,
      capabilities,
      ask,
      rowsIn: (other) => this.#rowsIn(other),
      now: now(),
    })
    if (this.#pages === 0) this.#first = answer
    if (this.#rowsRead === 0) this.#noteLost(rows)
    this.#pages += 1
    this.#rowsRead += rows.length
  }

  /** Filters that no row of the first page says anything about cannot be applied here. */
  #noteLost(rows: readonly Row[]): void {
    const { capabilities, now } = this.#tools
    for (const { name, value, filter } of this.#here()) {
      if (filter.isSearch === true || filter.isUnique === true) continue
      if (rows.length === 0 && filter.isState !== true) continue
      const isSilent = rows.every((row) => filter.matches(row, value, now()) === undefined)
      if (isSilent) capabilities.note(this.#endpoint.path, name, 'lost')
    }
  }

  /** Takes the rows that match until there are enough; true when a row that matches is left for the next call. */
  #take(rows: readonly Row[], skip: number, token: string | undefined): boolean {
    const limit = this.#limit()
    for (const [index, row] of rows.entries()) {
      if (index < skip || this.#isSeen(row)) continue
      if (!this.#matches(row)) continue
      if (this.#rows.length >= limit) {
        this.#next = writeCursor({ token, skip: index })
        return true
      }
      this.#rows.push(row)
    }
    return false
  }

  /** Whether the row may be shown: it does not contradict a filter, and shows what is searched for. */
  #matches(row: Row): boolean {
    const now = this.#tools.now()
    const verdicts = this.#here().map((asked) => ({ ...asked, verdict: asked.filter.matches(row, asked.value, now) }))
    for (const { name, verdict } of verdicts) if (verdict !== undefined) this.#said.add(name)
    const isMatch = verdicts.every(({ filter, verdict }) =>
      filter.isSearch === true || filter.isUnique === true ? verdict === true : verdict !== false,
    )
    for (const { name, verdict } of isMatch ? verdicts : []) if (verdict === undefined) this.#unsaid.add(name)
    return isMatch
  }

  /** Whether the rows that were taken are those that the filter asks for. */
  #isApplied({ name, filter }: AskedFilter): boolean {
    if (filter.isUnique === true && this.#rowsRead > 0) return this.#said.has(name)
    return !this.#unsaid.has(name)
  }

  #isSeen(row: Row): boolean {
    const id = rowId(row)
    if (id === undefined) return false
    const isSeen = this.#seen.has(id)
    this.#seen.add(id)
    return isSeen
  }

  /** Whether the list ends after the page that `token` led to, and how; sets the cursor where it goes on. */
  #endAfter(token: string | undefined, next: string | undefined, rows: readonly Row[]): End | undefined {
    if (next === '') return 'stated'
    if (next === undefined) return this.#tools.capabilities.facts(this.#endpoint.path).hasTokens ? 'stated' : 'unstated'
    if (next === token || this.#tokens.has(next)) return 'unstated'
    const [first] = rows
    const id = first && rowId(first)
    if (id !== undefined) this.#tools.capabilities.rememberPage(this.#list(), next, id)
    this.#tokens.add(next)
    this.#next = next
    const isEnough = this.#rows.length >= this.#limit()
    // A deployment may have smaller pages than were asked for, and empty ones before those with rows.
    const isFilled = this.#here().length > 0 || this.#request['page_size'] !== undefined || this.#rows.length === 0
    const isBound = this.#pages >= PAGES || this.#rowsRead >= ROWS || this.#tools.now() - this.#startedAt >= READING_MS
    return isEnough || !isFilled || isBound ? 'stopped' : undefined
  }

  #answer(end: End, isFirst: boolean): Answer {
    const unapplied = this.#unapplied()
    const here = this.#here().filter((asked) => this.#isApplied(asked))
    const isUnique = here.some(({ filter }) => filter.isUnique) && this.#rows.length >= this.#limit()
    const isStopped = end === 'stopped' && !isUnique
    const isFiltered = unapplied.length > 0
    const total = isFiltered ? undefined : this.#total(end, isFirst)
    const ordered = inOrder(this.#endpoint, this.#request, this.#rows, !isStopped && isFirst)
    const mayMiss = here.some(({ filter }) => filter.mayMiss)
    const isAll = () =>
      !mayMiss && (end === 'stated' || isUnique || (isFirst && total === this.#rows.length)) ? true : undefined
    const reading: Reading = {
      filteredHere: [...here.map(({ name }) => name), ...ordered.filteredHere],
      notApplied: [...unapplied.filter((one) => !here.includes(one)).map(({ name }) => name), ...ordered.notApplied],
      isComplete: isStopped || (isFirst && total !== undefined && total > this.#rows.length) ? false : isAll(),
    }
    if (here.length > 0) reading.rowsRead = this.#rowsRead
    return {
      // Counts that the deployment made are about its own rows.
      ...(isFiltered ? {} : this.#first),
      ...withRows(this.#endpoint, ordered.rows, this.#first),
      next_page_token: isStopped ? this.#next : '',
      pagination: total === undefined ? undefined : { ...paginationIn(this.#first), total_size: total },
      reading,
    }
  }

  /** The total that the deployment states, unless its rows contradict it. */
  #total(end: End, isFirst: boolean): number | undefined {
    const total = totalIn(this.#first)
    const known = this.#rows.length
    if (total === undefined || total < known) return undefined
    return isFirst && end === 'stated' && total !== known ? undefined : total
  }
}
