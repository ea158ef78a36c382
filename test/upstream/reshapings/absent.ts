import type * as z from 'zod'
import { contract } from '../../../src/contract/index.ts'
import type { Endpoint } from '../../../src/contract/base/endpoint.ts'
import { isObject } from '../../../src/lib/objects.ts'
import { rebuild, type Rules } from '../rebuild.ts'
import type { Reshaping, Reshapings } from '../reshaping.ts'
import { withQuery } from './parameters.ts'
import { byRules, enums } from './values.ts'

const memberNames = new Set(
  Object.values(contract).flatMap(({ returns }: Endpoint) => Object.values(returns.shape).flatMap(namesIn)),
)

/** Deployments whose answers say less, one for each member below the top level of the table's results, except ids. */
export const absent: Reshapings = {
  noTotals: paged('lists have no totals', (list, page) => ({ ...list, pagination: omit(page, 'total_size') })),
  noPaging: paged('lists have neither tokens nor totals', (list) => omit(list, 'next_page_token')),
  bareLists: paged('a list is a bare array', (_list, _page, main) => main),
  repeatsToken: {
    ...paged('paging tokens are ignored, and each page has one', (list, page) => ({
      ...list,
      next_page_token: 'again',
      pagination: { ...page, next_page_token: 'again' },
    })),
    request: (request) =>
      withQuery(request, (query) => {
        query.delete('page_token')
        query.delete('pagination.page_token')
      }),
  },
  // A zero that is left out cannot be told from a member that the deployment does not have.
  withoutZeros: {
    sentence: 'members that are zero, empty, false or null are left out, as protojson does without EmitUnpopulated',
    answer(answer, { endpoint }) {
      const [main] = Object.keys(endpoint.returns.shape)
      const rules: Rules = { members: (all) => all.filter(({ name, value }) => name === main || !isZero(value)) }
      return rebuild(endpoint.returns, answer, rules)
    },
  },
  enumsAsNumbers: byRules('enum values are numbers', {
    leaf: enums((value, _prefix, _name, schema) => Object.values(schema._zod.def.entries).indexOf(value) + 1),
  }),
  enumsUnknown: byRules('enum values are words that the contract does not have', {
    leaf: enums((_value, prefix) => `${prefix}shiny`),
  }),
  ...Object.fromEntries(Array.from(memberNames, (name) => [`without:${name}`, without(name)])),
}

/** A list that is the whole answer stays: leaving it out means that it is empty. */
function without(name: string): Reshaping {
  return {
    sentence: `${name} is absent`,
    answer(answer, { endpoint }) {
      const [main] = Object.keys(endpoint.returns.shape)
      if (main === name && 'next_page_token' in endpoint.returns.shape) return answer
      const rules: Rules = { members: (members) => members.filter((member) => member.name !== name) }
      return rebuild(endpoint.returns, answer, rules)
    },
  }
}

type Members = Record<string, unknown>

/** A reshaping of lists; `page` is the member `pagination`, `main` the rows. */
function paged(sentence: string, change: (list: Members, page: Members, main: unknown) => unknown): Reshaping {
  return {
    sentence,
    answer(answer, { endpoint }) {
      if (!isObject(answer)) return answer
      const { pagination, ...list } = answer
      if (!isObject(pagination)) return answer
      return change(list, pagination, answer[Object.keys(endpoint.returns.shape)[0] ?? ''])
    },
  }
}

function omit(members: Members, name: string): Members {
  return Object.fromEntries(Object.entries(members).filter(([member]) => member !== name))
}

/** The names of all members in the value of a schema; an id is always there. */
function namesIn(schema: z.core.$ZodType): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  // oxlint-disable-next-line switch-exhaustiveness-check -- all other kinds have no members
  switch (def.type) {
    case 'nullable':
    case 'optional':
    case 'default':
      return namesIn(def.innerType)
    case 'pipe':
      return namesIn(def.in)
    case 'array':
      return namesIn(def.element)
    case 'record':
      return namesIn(def.valueType)
    case 'object':
      return Object.entries(def.shape).flatMap(([name, member]) => [
        ...(name === 'id' ? [] : [name]),
        ...namesIn(member),
      ])
    default:
      return []
  }
}

function isZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === 0 || value === '' || value === false
}
