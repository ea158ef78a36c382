import { isObject } from '../../lib/objects.ts'
import type { Listing } from './listing.ts'

/** A message of the protocol, as it came. */
export interface OneRequest {
  method: string
  params?: unknown
}

/** What a server has to register. */
export interface Reached extends Pick<Listing, 'tools' | 'resources' | 'templates' | 'prompts' | 'views'> {
  /** Whether that is the whole listing. */
  isAll: boolean
  /** Whether skills are reached. */
  skills: boolean
}

const nothing: Reached = {
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  views: [],
  isAll: false,
  skills: false,
}

/** The part of the listing that answers to the request; all of it for other requests, and without one. */
export function reachedBy(request: OneRequest | undefined, listing: Listing): Reached {
  const all = { ...listing, isAll: true, skills: true }
  if (request === undefined) return all
  const name = isObject(request.params) ? request.params['name'] : undefined
  switch (request.method) {
    case 'tools/call':
      return { ...nothing, tools: listing.tools.filter(({ tool }) => tool.name === name) }
    case 'tools/list':
      return { ...nothing, tools: listing.tools }
    case 'resources/read':
      return {
        ...nothing,
        resources: listing.resources,
        templates: listing.templates,
        views: listing.views,
        skills: true,
      }
    case 'prompts/get':
      return { ...nothing, prompts: listing.prompts.filter((prompt) => prompt.name === name) }
    default:
      return all
  }
}
