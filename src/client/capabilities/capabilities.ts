/**
 * What is known of a query parameter of an endpoint: `accepted` was sent without a 400, and whether it has an effect is not
 * known; `applied` changes the rows, `ignored` does not; `refused` is answered with 400; `lost` is ignored or refused, and
 * the rows do not say what it asks for.
 */
export type ParameterState = 'accepted' | 'applied' | 'ignored' | 'refused' | 'lost'

/** What the answers of one endpoint have shown; a member that is absent has not been seen yet. */
export interface EndpointFacts {
  parameters: Readonly<Record<string, ParameterState>>
  /** Whether pages have at most as many rows as were asked for. */
  respectsPageSize?: boolean
  /** Whether a page has had a paging token, or a total. */
  hasTokens?: boolean
  hasTotals?: boolean
  /** The deployment does not offer the endpoint. */
  isMissing?: boolean
}

/** What has been learned of one deployment, by the path of the endpoint. */
export type Learned = Readonly<Record<string, EndpointFacts>>

/** What is learned of a deployment is asked again after this time: deployments are updated. */
const KEPT_MS = 10 * 60_000
/** Pages whose first row is remembered by the token that led to the next page. */
const PAGES_REMEMBERED = 200
/** Refused by one endpoint, these are sent to none: gateways read them in the same way. Recorded at the path "". */
const everywhere: ReadonlySet<string> = new Set(['page_size'])

interface Entry {
  since: number
  facts: Omit<EndpointFacts, 'parameters'>
  parameters: Map<string, ParameterState>
}

/**
 * What the deployment at one base address has shown of itself (contract §0.9), shared by all clients of a process. Its size
 * is bounded by the contract: an entry per endpoint, a state per parameter.
 */
export class Capabilities {
  /** True for the embedded service, which has the whole contract: nothing is checked or learned. */
  readonly isComplete: boolean
  /** Whether it has answered like the service: then the base address is right. */
  hasAnswered = false
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #firstRows = new Map<string, string>()

  constructor({ now = Date.now, isComplete = false }: { now?: () => number; isComplete?: boolean } = {}) {
    this.isComplete = isComplete
    this.#now = now
  }

  /** What is known of the parameter; undefined before it was sent. */
  state(path: string, parameter: string): ParameterState | undefined {
    const known = this.#entry(path).parameters.get(parameter)
    if (known !== undefined || path === '' || !everywhere.has(parameter)) return known
    return this.state('', parameter)
  }

  /** Records a state. `accepted` replaces nothing: it says less than the others. */
  note(path: string, parameter: string, state: ParameterState): void {
    if (state === 'accepted' && this.state(path, parameter) !== undefined) return
    this.#entry(path).parameters.set(parameter, state)
    if (state === 'refused' && everywhere.has(parameter) && path !== '') this.note('', parameter, state)
  }

  facts(path: string): EndpointFacts {
    const { facts, parameters } = this.#entry(path)
    return { ...facts, parameters: Object.fromEntries(parameters) }
  }

  noteFacts(path: string, facts: Entry['facts']): void {
    Object.assign(this.#entry(path).facts, facts)
  }

  /** Remembers the first row of the page that gave `token`; `list` names the endpoint and what it was asked for. */
  rememberPage(list: string, token: string, firstRow: string): void {
    const [oldest] = this.#firstRows.keys()
    if (this.#firstRows.size >= PAGES_REMEMBERED && oldest !== undefined) this.#firstRows.delete(oldest)
    this.#firstRows.set(`${list} ${token}`, firstRow)
  }

  /** The first row of the page that gave `token`; undefined if it is not remembered. */
  pageBefore(list: string, token: string): string | undefined {
    return this.#firstRows.get(`${list} ${token}`)
  }

  /** Everything learned, for people to read. */
  learned(): Learned {
    const paths = [...this.#entries.keys()].filter((path) => path !== '')
    return Object.fromEntries(paths.map((path) => [path, this.facts(path)]))
  }

  #entry(path: string): Entry {
    const known = this.#entries.get(path)
    if (known !== undefined && this.#now() - known.since < KEPT_MS) return known
    const entry: Entry = { since: this.#now(), facts: {}, parameters: new Map() }
    this.#entries.set(path, entry)
    return entry
  }
}
