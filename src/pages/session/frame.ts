import type { Product } from '../../mcp/resolve/types.ts'
import { shown } from '../picture/shown.ts'
import { pagePath, type Query } from '../support/address.ts'
import { html, type Html } from '../support/html.ts'
import { layout } from '../support/layout.ts'

/** What people read once they are signed in, in the order of the navigation. */
export const areas = { triage: 'Triage', gate: 'Gate', coverage: 'Coverage' } as const
export type AreaName = keyof typeof areas

/** Where the reader is. */
export interface Place {
  area: AreaName
  product: Product
  /** What the other areas are asked for: the product, and the environment and release if one is chosen. */
  query: Query
  /** Whether there are other products to choose. */
  hasChoice: boolean
}

/** A page for people who are signed in, below the navigation. */
export function framed(place: Place, document: { title: string; script?: string }, content: Html): Html {
  return layout({ ...document, wide: true, top: topBar(place) }, content)
}

function topBar({ area, product, query, hasChoice }: Place): Html {
  return html`<header class="top">
    <div class="top-row">
      <a class="brand" href=${pagePath('/triage', query)}>Tracegate</a>
      <nav class="areas" aria-label="Areas">
        ${Object.entries(areas).map(
          ([name, words]) =>
            html`<a href=${pagePath(`/${name}`, query)} aria-current=${name === area ? 'page' : undefined}
              >${words}</a
            >`,
        )}
      </nav>
      <p class="top-product">
        <span class="team">${shown(product.name ?? product.id)}</span>
        ${hasChoice ? html` <a href=${`/${area}`}>All products</a>` : null}
      </p>
      ${signOut(area)}
    </div>
  </header>`
}

/** The button that ends the session. */
export function signOut(area: AreaName): Html {
  return html`<form class="sign-out" method="post" action=${`/${area}`}>
    <button class="plain" name="do" value="sign-out">Sign out</button>
  </form>`
}
