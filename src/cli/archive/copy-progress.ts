import type { CopyProgress } from '../../service/sql/moving/progress.ts'
import type { Io } from '../support/io.ts'

/** In a log, a line for each so many percent of all rows; on a terminal, one line that changes. */
const STEP = 5

export interface ShownCopy {
  show(progress: CopyProgress): void
  /** Another line, after those of the progress. */
  say(line: string): void
}

/** Shows how far a copy of the tables is: the table, its rows, and the percent of all rows. */
export function showCopy(stream: Io['stderr']): ShownCopy {
  let shown = 0
  let open = false
  const say = (line: string) => {
    stream.write(`${open ? '\r\u001b[K' : ''}tracegate: ${line}\n`)
    open = false
  }
  return {
    say,
    show(progress) {
      const line = describe(progress)
      if (stream.isTTY === true) {
        stream.write(`\r\u001b[K${line}`)
        open = true
      } else if (progress.percent >= Math.min(shown + STEP, 100) && shown < 100) {
        shown = progress.percent
        say(line)
      }
    },
  }
}

function describe({ table, rows, totalRows, percent }: CopyProgress): string {
  return `${table}: ${grouped(rows)} of ${grouped(totalRows)} rows, ${String(percent)} % of all`
}

/** `1,234,567` */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
