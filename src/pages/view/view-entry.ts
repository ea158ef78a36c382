import { render } from 'preact'
import { useState } from 'preact/hooks'
import { gatePicture } from '../picture/gate-picture.ts'
import { matrixFilters, matrixPicture, showsRow, type MatrixFilterName } from '../picture/matrix-picture.ts'
import type { MatrixPicture } from '../picture/types.ts'
import { html, type Html } from '../support/html.ts'
import { note } from '../support/layout.ts'
import { resultPicture } from './from-result.ts'
import { connectHost, type ToolResult } from './host.ts'

/** The part of a browser's document that the view uses: the program has no types of the DOM. */
interface Root {
  querySelector(selector: string): (Parameters<typeof render>[1] & { textContent: string | null }) | null
}
const page = (globalThis as unknown as { document: Root }).document
const main = page.querySelector('main')
if (main === null) throw new Error('the view has no place to draw in')
main.textContent = ''

const draw = (content: Html) => render(content as Parameters<typeof render>[0], main)

draw(note('plain', 'Waiting for the verdict.'))
connectHost({
  onResult: (result) => draw(picture(result)),
  onCancelled: () => draw(note('plain', 'The call was cancelled. There is nothing to show.')),
})

function picture({ structuredContent, isError, content }: ToolResult): Html {
  const { gate, matrix } = resultPicture(structuredContent)
  if (isError !== true && (gate !== undefined || matrix !== undefined)) {
    return html`${gate === undefined ? null : gatePicture(gate)}
    ${matrix === undefined ? null : html`<${Matrix} matrix=${matrix} />`}`
  }
  const said = content?.find(({ text }) => typeof text === 'string')?.text
  return note(isError === true ? 'bad' : 'plain', said ?? 'The result has no verdict to show.')
}

/** The matrix with a choice of its rows; no request is made. */
function Matrix({ matrix }: { matrix: MatrixPicture }): Html {
  const [filter, setFilter] = useState<MatrixFilterName>('all')
  const choose = Object.entries(matrixFilters).map(
    ([name, words]) =>
      html`<button
        type="button"
        aria-pressed=${name === filter ? 'true' : 'false'}
        onClick=${() => setFilter(name as MatrixFilterName)}
      >
        ${words}
      </button>`,
  )
  const rows = matrix.rows.filter((row) => showsRow(filter, row))
  const choice = html`<div class="choice" role="group" aria-label="Rows of the traceability matrix">${choose}</div>`
  return matrixPicture({ ...matrix, rows }, choice)
}
