import { camelCase } from '../../../src/client/reader/read-schema.ts'
import { isObject } from '../../../src/lib/objects.ts'
import type { Call, Reshaping, Reshapings } from '../reshaping.ts'
import { byRules } from './values.ts'

/** Tokens that were sent as numbers. */
const tokens: string[] = ['']

const FIRST_ROWS = 'first-rows'

/** Members and wrappers in other forms, nothing lost; after the values, because these leave the contract's schema. */
export const envelopes: Reshapings = {
  tokenOnTop: pagingMembers('the paging token is only at the top level', (token, page) => ({
    next_page_token: token,
    pagination: page,
  })),
  tokenInPagination: pagingMembers('the paging token is only in pagination', (token, page) => ({
    pagination: { ...page, next_page_token: token },
  })),
  numericToken: {
    ...pagingMembers('the paging token is a number, 0 on the last page', (token, page) => {
      const known = tokens.indexOf(String(token))
      const number = known === -1 ? tokens.push(String(token)) - 1 : known
      return { next_page_token: number, pagination: { ...page, next_page_token: number } }
    }),
    request(request) {
      const url = new URL(request.url)
      for (const name of ['page_token', 'pagination.page_token']) {
        const number = url.searchParams.get(name)
        if (number !== null) url.searchParams.set(name, tokens[Number(number)] ?? 'unknown')
      }
      return { ...request, url: url.href }
    },
  },
  emptyPages: {
    sentence: 'a list begins with an empty page, whose token leads to the rows',
    request(request) {
      const url = new URL(request.url)
      if (pageToken(url) === FIRST_ROWS) url.searchParams.delete('pagination.page_token')
      return { ...request, url: url.href }
    },
    answer(answer, call) {
      if (!isList(call) || !isObject(answer) || pageToken(new URL(call.request.url)) !== null) return answer
      const [main, { pagination }] = [mainMember(call), answer]
      const rows = isObject(answer[main]) ? { ...answer[main], rows: [] } : []
      const page = { ...(isObject(pagination) && pagination), next_page_token: FIRST_ROWS }
      return { ...answer, [main]: rows, next_page_token: FIRST_ROWS, pagination: page }
    },
  },
  unknownMembers: byRules('objects have members that the contract does not know', {
    members: (members) => [
      ...members,
      { name: 'self_link', value: { href: '/self' } },
      { name: 'row_version', value: 'AAAAB3' },
    ],
  }),
  camelCase: byRules('members are in lower camel case', {
    members: (members) => members.map(({ name, value }) => ({ name: camelCase(name), value })),
  }),
  items: {
    sentence: 'the rows of a list are in items',
    answer: (answer, call) => (isList(call) ? renamed(answer, call) : answer),
  },
  unwrapped: { sentence: 'a single resource is not wrapped in its member', answer: unwrap },
  inData: { sentence: 'answers are wrapped in data', answer: (answer) => ({ data: answer }) },
  inResult: { sentence: 'answers are wrapped in result', answer: (answer) => ({ result: answer }) },
  inSuccess: {
    sentence: 'answers are wrapped in data, between success and meta',
    answer: (answer) => ({ success: true, data: answer, meta: { request_id: 'r1' } }),
  },
}

function pagingMembers(
  sentence: string,
  place: (token: unknown, page: Record<string, unknown>) => Record<string, unknown>,
): Reshaping {
  return {
    sentence,
    answer(answer) {
      if (!isObject(answer) || !('next_page_token' in answer || 'pagination' in answer)) return answer
      const { next_page_token: token = '', pagination, ...rest } = answer
      const { next_page_token: _, ...page } = isObject(pagination) ? pagination : {}
      return { ...rest, ...place(token, page) }
    },
  }
}

function pageToken({ searchParams }: URL): string | null {
  return searchParams.get('pagination.page_token')
}

function mainMember({ endpoint }: Call): string {
  return Object.keys(endpoint.returns.shape)[0] ?? ''
}

/** Whether the answer is one list; of an answer with two results neither can have another name. */
function isList({ endpoint }: Call): boolean {
  return 'next_page_token' in endpoint.returns.shape
}

function renamed(answer: unknown, call: Call): unknown {
  if (!isObject(answer)) return answer
  const main = mainMember(call)
  const entries = Object.entries(answer)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      [main, camelCase(main)].includes(name) && Array.isArray(value) ? 'items' : name,
      value,
    ]),
  )
}

/** The members of the resource next to its siblings; wrapped where one would hide another. */
function unwrap(answer: unknown, call: Call): unknown {
  if (!isObject(answer)) return answer
  const main = [mainMember(call), camelCase(mainMember(call))].find((name) => isObject(answer[name])) ?? ''
  const { [main]: resource, ...siblings } = answer
  if (!isObject(resource) || Object.keys(siblings).some((name) => name in resource)) return answer
  return { ...siblings, ...resource }
}
