import type { Endpoint } from '../../contract/base/endpoint.ts'
import { isEndpointMissing } from '../../errors.ts'
import { nextToken } from './paging.ts'
import { askAccepted, type Answer, type Ask, type Request } from './parameters.ts'
import { checkingCursor } from './refused-cursor.ts'
import { readList, type ListTools } from './read-list.ts'

/**
 * Asks an endpoint that reads, of a deployment that may not know all of its parameters (contract §0.9): what it refuses is
 * left out, and pages of lists are read by `readList`. Of a deployment that has the whole contract nothing is checked.
 */
export async function askKnowing(endpoint: Endpoint, request: Request, tools: ListTools): Promise<Answer> {
  const isList = 'next_page_token' in endpoint.returns.shape
  const { capabilities } = tools
  if (capabilities.isComplete) return isList ? withReading(await tools.ask(request)) : tools.ask(request)
  const ask = noting(endpoint, isList ? { ...tools, ask: checkingCursor(endpoint, request, tools.ask) } : tools)
  if (isList) return readList(endpoint, request, { ...tools, ask })
  return askAccepted(endpoint, request, ask, capabilities)
}

function withReading(answer: Answer): Answer {
  return { ...answer, reading: { filteredHere: [], notApplied: [], isComplete: nextToken(answer) === '' } }
}

/** Records that the deployment does not offer the endpoint. */
function noting({ path }: Endpoint, { ask, capabilities }: ListTools): Ask {
  return async (request) => {
    try {
      return await ask(request)
    } catch (error) {
      if (isEndpointMissing(error)) capabilities.noteFacts(path, { isMissing: true })
      throw error
    }
  }
}
