import { pathParameters, type Endpoint } from '../../../src/contract/base/endpoint.ts'
import type { WireReply, WireRequest } from '../../../src/contract/base/wire.ts'
import { contract } from '../../../src/contract/index.ts'
import { jsonReply, type Reshaping, type Reshapings } from '../reshaping.ts'

/** The query parameters that the specification names; all others are ours. */
const specified = new Set(
  'status environment_id release_id component_id levels platforms period sort branch max_frames page_token'.split(' '),
)

const queryNames = new Set(
  Object.values(contract).flatMap(({ method, path, input }: Endpoint) =>
    method === 'GET' ? Object.keys(input.shape).filter((name) => !pathParameters(path).includes(name)) : [],
  ),
)

/** Deployments that know fewer query parameters, one for each parameter of the table. */
export const parameters: Reshapings = {
  ...Object.fromEntries(Array.from(queryNames, (name) => [`ignores:${name}`, ignoring(name)])),
  refusesByName: refusing('parameters that the specification does not name are refused, with their names', true),
  refuses: refusing('parameters that the specification does not name are refused, without their names', false),
  allRows: {
    sentence: 'page_size is ignored and a page has 200 rows',
    request: (request, { endpoint }) =>
      'page_size' in endpoint.input.shape
        ? withQuery(request, (query) => {
            query.delete('page_size')
            query.set('pagination.page_size', '200')
          })
        : request,
  },
}

function ignoring(name: string): Reshaping {
  return {
    sentence: `the query parameter ${name} is ignored`,
    request: (request) =>
      withQuery(request, (query) => {
        query.delete(name)
        query.delete(`pagination.${name}`)
      }),
  }
}

/** The request with its query changed. */
export function withQuery(request: WireRequest, change: (query: URLSearchParams) => void): WireRequest {
  const url = new URL(request.url)
  change(url.searchParams)
  return { ...request, url: url.href }
}

function refusing(sentence: string, named: boolean): Reshaping {
  return {
    sentence,
    request(request) {
      const names = [...new URL(request.url).searchParams.keys()].map((name) => name.replace('pagination.', ''))
      const unknown = names.find((name) => !specified.has(name))
      return unknown === undefined || request.method !== 'GET' ? request : refusal(named ? unknown : undefined)
    },
  }
}

/** The refusal of an unknown parameter, with its name where it is given. */
export function refusal(field: string | undefined): WireReply {
  const violations = { field_violations: [{ field, description: 'unknown' }] }
  return jsonReply(400, { code: 3, message: 'unknown parameter', details: field === undefined ? [] : [violations] })
}
