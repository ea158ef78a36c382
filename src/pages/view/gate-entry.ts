import { useState } from 'preact/hooks'
import { gatePicture } from '../picture/gate-picture.ts'
import { matrixFilters, matrixPicture, showsRow, type MatrixFilterName } from '../picture/matrix-picture.ts'
import type { MatrixPicture } from '../picture/types.ts'
import { html, type Html } from '../support/html.ts'
import { note } from '../support/layout.ts'
import { createPlace } from './place.ts'
import { resultPicture } from './from-result.ts'
import { connectHost, type ToolResult } from './host.ts'

const draw = createPlace()
draw(note('plain', 'Waiting for the verdict.'))
connectHost({
  name: 'gate',
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
