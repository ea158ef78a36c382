import type { Product } from '../../mcp/resolve/types.ts'
import { shown } from '../picture/shown.ts'
import { pagePath } from '../support/address.ts'
import { html, type Html } from '../support/html.ts'
import { layout, note } from '../support/layout.ts'
import { tokenField } from '../support/token-field.ts'
import { areas, signOut, type AreaName } from './frame.ts'

const wanted: Readonly<Record<AreaName, string>> = {
  triage: 'the error issues',
  gate: 'the quality gate',
  coverage: 'the coverage gaps',
}

/** The form that asks who reads; `query` is what they asked for, `refused` says why the last token did not do. */
export function signInPage(area: AreaName, query: string, refused?: Html): Html {
  return layout(
    { title: 'Sign in' },
    html`${refused ?? note('plain', `Sign in to read ${wanted[area]}.`, 'These pages show and decide nothing.')}
      <form method="post" action=${`/${area}`} autocomplete="off">
        <input type="hidden" name="next" value=${query} />
        ${tokenField({ help: 'It stays in the memory of this server for one hour, or until you sign out.' })}
        <button>Sign in</button>
      </form>`,
  )
}

/** The products of a token, to choose one; undefined if they cannot be read. */
export function productsPage(area: AreaName, products: readonly Product[] | undefined, refused?: Html): Html {
  return layout({ title: areas[area] }, html`${refused}${products && productList(area, products)}${signOut(area)}`)
}

function productList(area: AreaName, products: readonly Product[]): Html {
  const links = products.map(
    ({ id, name }) =>
      html`<li><a class="team" href=${pagePath(`/${area}`, { product: id })}>${shown(name ?? id)}</a></li>`,
  )
  return html`<h2>Choose a product</h2>
    ${
      products.length === 0
        ? note('plain', 'This token sees no product.')
        : html`<ul class="products">
            ${links}
          </ul>`
    }`
}
