import { html, type Html } from '../support/html.ts'
import type { ComponentCoverage, CoveragePicture } from './gap-types.ts'

/** The share of requirements with working tests, in numbers and as a bar. */
export function coverageTotals(picture: CoveragePicture): Html {
  const { requirements, verified, facts } = picture
  const says =
    requirements === undefined || verified === undefined
      ? 'How many requirements are verified is not stated.'
      : `${String(verified)} of ${String(requirements)} requirements verified`
  return html`<section class="totals" aria-label="Coverage of the product">
    <p class="totals-says">${says}</p>
    ${stackedBar(picture)}
    <dl class="tiles">
      ${facts.map(
        ({ label, value, tone }) =>
          html`<div class=${tone}>
            <dt>${label}</dt>
            <dd>${value === undefined ? 'not stated' : value.toLocaleString('en')}</dd>
          </div>`,
      )}
    </dl>
  </section>`
}

/** Verified, not run and untested requirements side by side; nothing where a number is missing. */
function stackedBar({ requirements, verified, notRun, noTest }: CoveragePicture): Html | null {
  const parts = [
    ['good', verified],
    ['warn', notRun],
    ['bad', noTest],
  ] as const
  const values = parts.map(([, value]) => value)
  if (values.includes(undefined) || requirements === undefined || requirements === 0) return null
  const all = values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
  let start = 0
  return html`<svg class="stack" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    ${parts.map(([tone, value = 0]) => {
      const width = all === 0 ? 0 : (value / all) * 100
      const bar = html`<rect class=${tone} x=${start.toFixed(2)} y="0" width=${width.toFixed(2)} height="4" />`
      start += width
      return bar
    })}
  </svg>`
}

/** Coverage of each component; `link` is where its gaps are. */
export function componentTable(components: readonly ComponentCoverage[], link: (id: string) => string): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Coverage by component">
    <table class="components">
      <thead>
        <tr>
          <th scope="col">Component</th>
          <th scope="col" class="number">Requirements</th>
          <th scope="col">Verified</th>
          <th scope="col" class="number">Gaps</th>
        </tr>
      </thead>
      <tbody>
        ${components.map(
          ({ id, name, requirements, ratio, gaps }) =>
            html`<tr>
              <th scope="row"><a class="team" href=${link(id)}>${name}</a></th>
              <td class="number">${requirements ?? 'not stated'}</td>
              <td>${requirements === 0 ? html`<span class="quiet">none to verify</span>` : share(ratio)}</td>
              <td class="number">${gaps ?? 'not stated'}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** A share as a bar and in per cent, rounded down: 99.6 % is never shown as 100 %. */
function share(ratio: number | undefined): string | Html {
  if (ratio === undefined) return 'not stated'
  return html`<span class="share"
    ><svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="share-ground" width="100" height="4" />
      <rect class="good" width=${(ratio * 100).toFixed(1)} height="4" /></svg
    ><span>${String(Math.floor(ratio * 100 + 1e-9))} %</span></span
  >`
}
