import { gatePicture } from '../picture/gate-picture.ts'
import { matrixFilters, matrixPicture, type MatrixFilterName } from '../picture/matrix-picture.ts'
import type { MatrixPicture } from '../picture/types.ts'
import { pictureTitle } from '../picture/words.ts'
import { framed, type Place } from '../session/frame.ts'
import { html, type Html } from '../support/html.ts'
import { note } from '../support/layout.ts'
import { gatePath, type ScopeQuery } from './address.ts'
import type { Approvals } from './approvals.ts'
import type { ShownVerdict } from './reads.ts'

export interface GateView {
  query: ScopeQuery
  filter: MatrixFilterName
  title: string
  verdict: ShownVerdict | 'none' | undefined
  matrix: { picture: MatrixPicture; nextPage: string | undefined } | undefined
}

/** The verdict of a scope with its matrix. */
export function gateView(place: Place, view: GateView): Html {
  const { verdict, title } = view
  const heading = typeof verdict === 'object' ? pictureTitle(verdict.picture) : title
  return framed(place, { title: heading }, html`${verdictPart(verdict)}${matrixPart(view)}`)
}

function verdictPart(verdict: GateView['verdict']): Html {
  if (verdict === undefined) return note('plain', 'This deployment does not offer the quality gate.')
  if (verdict !== 'none') return html`${approvalPart(verdict.approvals)}${gatePicture(verdict.picture)}`
  const how = 'Run tracegate gate, or ask your agent to recompute the quality gate.'
  return note('plain', 'There is no verdict of this scope yet.', how)
}

/** Where a second person decides what waits for them. */
function approvalPart({ waiting, commands }: Approvals): Html | null {
  if (waiting === 0) return null
  const risks = waiting === 1 ? '1 accepted risk waits' : `${String(waiting)} accepted risks wait`
  const page = 'An agent with the toolset approvals gives a link to the confirmation page.'
  return html`${note('plain', `${risks} for the approval of a second person.`, page)}
  ${commands.length === 0 ? null : commandList(commands)}`
}

function commandList(commands: readonly string[]): Html {
  return html`<p>Or they run this in a terminal and type their own API token:</p>
    <ul>
      ${commands.map((command) => html`<li><code>${command}</code></li>`)}
    </ul>`
}

function matrixPart({ matrix, query, filter }: GateView): Html {
  if (matrix === undefined)
    return html`<h2>Traceability</h2>
      <p>This deployment does not offer it.</p>`
  const { nextPage, picture } = matrix
  const more =
    nextPage === undefined
      ? null
      : html`<p><a href=${gatePath({ ...query, filter, page: nextPage })}>More requirements</a></p>`
  return html`${matrixPicture(picture, filterLinks(query, filter))}${more}${exportLinks(query, filter)}`
}

function filterLinks(query: ScopeQuery, filter: MatrixFilterName): Html {
  return html`<nav class="choice" aria-label="Rows of the traceability matrix">
    ${Object.entries(matrixFilters).map(
      ([name, words]) =>
        html`<a href=${gatePath({ ...query, filter: name })} aria-current=${name === filter ? 'true' : undefined}
          >${words}</a
        >`,
    )}
  </nav>`
}

const exports = { csv: 'CSV', markdown: 'Markdown', html: 'HTML', needs: 'needs.json' } as const

function exportLinks(query: ScopeQuery, filter: MatrixFilterName): Html {
  return html`<nav aria-label="Exports">
    <p>
      Export these rows:
      ${Object.entries(exports).map(
        ([format, words]) => html` <a href=${gatePath({ ...query, filter, export: format })}>${words}</a>`,
      )}
    </p>
  </nav>`
}
