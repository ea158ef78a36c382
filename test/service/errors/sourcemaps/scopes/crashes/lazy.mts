export class Report {
  readonly rows: number[][]

  constructor(rows: number[][]) {
    this.rows = rows
  }

  render(): string {
    return this.rows.map((row) => this.#line(row)).join('\n')
  }

  #line(row: number[]): string {
    return row.map((cell) => pad(cell)).join(' ')
  }
}

const pad = (cell: number): string => {
  if (cell > 999) throw new RangeError('the cell is too wide')
  return String(cell).padStart(3)
}
