/** A list. null: the deployment does not state it. undefined: what was read has no place for it, and nothing is drawn. */
export type Stated<T> = readonly T[] | null | undefined

/** A verdict of the gate as the picture draws it: words only, so that the page, the file and the MCP view show the same. */
export interface GatePicture {
  product: string | undefined
  /** What was judged, such as `release 1.4.1, environment production`. */
  scope: string
  /** Without its prefix: PASS, PASS_WITH_RISK, WARN, FAIL, INCONCLUSIVE or a value that is not known. */
  status: string | undefined
  reason: string | undefined
  settledBy: string | undefined
  /** As people read it, in UTC. */
  computedAt: string | undefined
  isStale: boolean
  conditions: Stated<ConditionPicture>
  risks: Stated<RiskPicture>
  exclusions: Stated<ExclusionPicture>
  exclusionsTotal: number | undefined
  exclusionsUnreviewed: number | undefined
  /** Issues that only events with a public key speak of. */
  unvouched: UnvouchedPicture | null | undefined
  /** One sentence for each run that lacks shards. */
  incompleteRuns: Stated<string>
  history: Stated<{ status: string; computedAt: string }>
  /** Further sentences that a decision must not overlook. */
  notes: readonly string[]
}

export interface ConditionPicture {
  id: string
  title: string
  status: string | undefined
  isBlocking: boolean | undefined
  /** `at most 0`, `at least 80 %`. */
  limit: string | undefined
  actual: string | undefined
  message: string | undefined
  /** Items that must change for it to hold. */
  toPass: number | undefined
  items: readonly ItemPicture[]
  /** The number of all items; a verdict lists only the first ones. */
  total: number | undefined
}

export interface ItemPicture {
  /** REQ-12, TC-7, SHOP-31. */
  key: string
  title: string | undefined
  /** Titles of issues, tests and links may be outsiders' text. */
  isOutside: boolean
  state: string | undefined
  because: string | undefined
  since: string | undefined
  isNew: boolean
}

export interface RiskPicture {
  conditions: string
  state: string
  acceptedBy: string | undefined
  approvedBy: string | undefined
  until: string | undefined
  endsSoon: boolean
  reason: string | undefined
}

export interface ExclusionPicture {
  key: string
  kind: string
  by: string | undefined
  byAgent: boolean | undefined
  at: string | undefined
  reviewedBy: string | undefined
  reason: string | undefined
}

export interface UnvouchedPicture {
  /** `2 new, 1 reopened`; empty if there are none. */
  counts: string
  items: readonly ItemPicture[]
}

/** The traceability matrix as the picture draws it. */
export interface MatrixPicture {
  rows: readonly MatrixRowPicture[]
  /** `12 of 20 verified`, one fact each. */
  totals: readonly { label: string; value: string }[]
}

export interface MatrixRowPicture {
  key: string
  title: string | undefined
  state: string | undefined
  failing: boolean
  suspect: boolean
  tests: readonly string[]
  issues: readonly string[]
  risks: number | undefined
}
