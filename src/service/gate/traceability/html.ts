import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { columns, heading, toLines } from './lines.ts'
import type { Matrix } from './model.ts'

const style = `body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color-scheme:light dark}table{border-collapse:collapse}
th,td{border:1px solid #8888;padding:.25rem .5rem;text-align:left;vertical-align:top}thead{position:sticky;top:0;background:Canvas}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dd{margin:0}@media print{thead{position:static}}`

/** The matrix as one HTML file without scripts and without any other origin; every text is escaped. */
export function asHtml(matrix: Matrix, product: string): string {
  const facts = heading(matrix, product)
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
      <title>Traceability matrix of ${product}</title>
      <style dangerouslySetInnerHTML=${{ __html: style }} />
    </head>
    <body>
      <h1>Traceability matrix</h1>
      <dl>${facts.map(([label, value]) => [html`<dt>${label}</dt>`, html`<dd>${value}</dd>`])}</dl>
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${toLines(matrix.rows).map(
            (line) =>
              html`<tr>
                ${columns.map((column) => html`<td>${line[column]}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </body>
  </html>`
  return `<!doctype html>${[document]
    .flat()
    .map((node) => renderToString(node))
    .join('')}\n`
}
