import type { Area } from '../session/area.ts'
import { pageReply } from '../support/reply.ts'
import type { Prompts } from '../support/prompts.ts'
import { coverageQuery } from './query.ts'
import { readCoverage } from './reads.ts'
import { coverageView } from './views.ts'

/** `/coverage`: how much of a product is verified, and the gaps, worst first (decision 111). */
export function coverageArea(prompts: Prompts): Area {
  return {
    name: 'coverage',
    async show({ url }, place, reading) {
      const query = coverageQuery(url.searchParams)
      const coverage = await readCoverage(query, place.product, reading)
      return pageReply(200, coverageView(place, query, coverage, prompts), { script: true })
    },
  }
}
