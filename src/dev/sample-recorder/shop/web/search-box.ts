import * as Sentry from '@sentry/browser'
import type { Hit } from '../search/search.ts'
import { read } from './api.ts'
import { element, notice } from './dom.ts'

const pauseMs = 60

/** Suggests articles while the visitor types. */
export function startSearchBox(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  element('#search input').addEventListener('input', (event) => {
    clearTimeout(timer)
    const { value } = event.target as HTMLInputElement
    timer = setTimeout(() => suggest(value), pauseMs)
  })
}

async function suggest(query: string): Promise<void> {
  try {
    const hits = await read<Hit[]>(`/api/search?q=${encodeURIComponent(query)}`)
    element('#suggestions').replaceChildren(...hits.map(suggestion))
  } catch (error) {
    Sentry.captureException(error, { tags: { feature: 'suggestions' } })
    notice('Search is taking a break')
  }
}

function suggestion(hit: Hit): HTMLLIElement {
  const line = document.createElement('li')
  line.innerHTML = hit.marked
  return line
}
