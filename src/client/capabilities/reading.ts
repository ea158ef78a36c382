/** How a page of a list was read, of a deployment that may not do all that it was asked for (contract §0.9). */
export interface Reading {
  /** Parameters that the deployment does not apply and the client applied to the rows. */
  filteredHere: readonly string[]
  /** Parameters that neither could apply: the rows are of all values. */
  notApplied: readonly string[]
  /** True: there are no more rows. False: there are, or reading stopped at a bound. Undefined: the deployment does not say. */
  isComplete: boolean | undefined
  /** The number of rows that were read to filter them here. */
  rowsRead?: number
}
