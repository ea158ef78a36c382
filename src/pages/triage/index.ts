import type { Area } from '../session/area.ts'
import { pageReply } from '../support/reply.ts'
import type { Prompts } from '../support/prompts.ts'
import { boardQuery } from './query.ts'
import { readBoard } from './reads.ts'
import { boardView, issuesView } from './views.ts'

/** `/triage`: the error issues of a product, filtered by the address (decision 111). */
export function triageArea(prompts: Prompts): Area {
  return {
    name: 'triage',
    async show({ url }, place, reading) {
      const query = boardQuery(url.searchParams)
      const board = await readBoard(query, place.product, reading, Date.now())
      const later = async () => issuesView(board, await board.issues(), prompts)
      return pageReply(200, boardView(place, query, board), { script: true, later })
    },
  }
}
