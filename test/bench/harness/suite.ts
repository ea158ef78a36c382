/** What a figure is measured in. */
export type Unit =
  | 'ms'
  | 's'
  | 'MB'
  | 'KB'
  | 'B'
  | '%'
  | 'tokens'
  | 'tools'
  | 'calls'
  | 'calls/s'
  | 'events'
  | 'events/s'
  | 'cases/s'
  | 'counters'
  | 'rows'
  | 'rows/s'
  | 'answers'

/** What a figure has to reach: of its median, or of its ratio to the row that it is `against`. */
export interface Goal {
  of: 'median' | 'ratio'
  most?: number
  least?: number
}

/** One row of a table. */
export interface Figure {
  name: string
  unit: Unit
  /** One value for each round, in the order of the rounds. */
  values: readonly number[]
  /** The row of the same table that the values are divided by, round by round. */
  against?: string
  goals?: readonly Goal[]
  /** The words under which `README.md` shows the figure among those that a reader wants first. */
  headline?: string
}

export interface Table {
  title: string
  figures: readonly Figure[]
  /** What a reader has to know to judge the figures: a paragraph each. */
  notes?: readonly string[]
}

/** One subject of `npm run bench`. Everything that is compared is measured in turn, in one run. */
export interface Suite {
  /** What is measured, and against what: a sentence or two. */
  about: string
  /** Why `npm run bench` leaves the suite out unless it is named, as in "It takes four minutes." */
  onlyNamed?: string
  run(): Promise<readonly Table[]>
}

/** What a suite has measured, as it is kept in `results.json`. */
export interface Result extends Pick<Suite, 'about' | 'onlyNamed'> {
  /** ISO 8601 date. */
  measured: string
  node: string
  /** Cores of the machine. */
  cores: number
  /** Load average of the minute before the first suite of the run: above 0.5 something else was running. */
  load: number
  /** What `loopMs` of `measure.ts` returned before the suite; suites measured long ago have none. */
  loop?: number
  /** What `wakeUs` of `wake.ts` returned before the suite; suites measured long ago have none. */
  wake?: number
  tables: readonly Table[]
}

/** Results by the name of their suite, in the order of the suites. */
export type Results = Readonly<Record<string, Result>>
