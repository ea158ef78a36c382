import { isObject } from '../../lib/objects.ts'
import type { Listing } from './listing.ts'

/** A message of the protocol, as it came. */
export interface OneRequest {
  method: string
  params?: unknown
}

/** What a server has to register. */
export interface Reached extends Pick<Listing, 'resources' | 'templates' | 'prompts' | 'views'> {
  /** Whether the list of tools is reached. */
  toolList: boolean
  /** Whether calls of tools are reached. */
  toolCalls: boolean
  /** Whether that is the whole listing. */
  isAll: boolean
  /** Whether skills are reached. */
  skills: boolean
}

const nothing: Reached = {
  toolList: false,
  toolCalls: false,
  resources: [],
  templates: [],
  prompts: [],
  views: [],
  isAll: false,
  skills: false,
}

/**
 * The part of the listing that answers to the request; all of it without one. For other requests all but the calls, whose
 * handler would take methods that do not exist, which the SDK answers with the status 404.
 */
export function reachedBy(request: OneRequest | undefined, listing: Listing): Reached {
  const all = { ...listing, toolList: true, toolCalls: request === undefined, isAll: true, skills: true }
  if (request === undefined) return all
  const name = isObject(request.params) ? request.params['name'] : undefined
  switch (request.method) {
    case 'tools/call':
      return { ...nothing, toolCalls: true }
    case 'tools/list':
      return { ...nothing, toolList: true }
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
