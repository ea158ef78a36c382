import type * as z from 'zod'
import { LRUCache } from 'lru-cache'
import { stateDigest } from '../confirm/state.ts'
import type { Prompt, Resource, ResourceTemplate, SurfaceOptions, Tool, View } from '../define/define.ts'
import { descriptionsOffered, documentOffered, sentencesOffered } from './naming.ts'
import { isShown } from './shown.ts'
import { envelopeJson, publishedInput, type JsonSchema } from './schema.ts'

/** The whole surface; the part that a caller sees is a `Listing`. */
export interface Surface {
  tools: readonly Tool[]
  resources: readonly Resource[]
  templates: readonly ResourceTemplate[]
  prompts: readonly Prompt[]
  views?: readonly View[]
}

export interface ListedTool {
  tool: Tool
  description: string
  /** The schema that reads the arguments of a call. */
  input: z.ZodObject
  inputJson: ReturnType<typeof publishedInput>
  outputJson: JsonSchema
}

export interface ListedTemplate {
  template: ResourceTemplate
  description: string
  tool: ListedTool
}

/** The part of the surface that one choice of options shows, in the same order. */
export interface Listing {
  tools: readonly ListedTool[]
  resources: readonly Resource[]
  templates: readonly ListedTemplate[]
  prompts: readonly Prompt[]
  /** Of the listed tools. */
  views: readonly View[]
  /** Differs when a listed tool or the name of a parameter does. */
  digest: string
  offers: (tool: string) => boolean
  /** Why a tool of the surface is not listed, by its name. */
  leftOut: ReadonlyMap<string, string>
}

// Schemas are created once per choice, not per request: over HTTP a server is built for each request (mcp §10). Callers
// can spell any number of choices in a path, so the cache is bounded.
const listings = new LRUCache<string, Listing>({ max: 64 })
const identities = new WeakMap<Surface, number>()
let surfaces = 0

/**
 * The tools of the chosen toolsets, without writes if read-only and without the `product` parameter if one is pinned, and
 * the templates and prompts for these tools. Texts never name an unlisted tool. Cached.
 */
export function createListing(surface: Surface, options: SurfaceOptions): Listing {
  if (!identities.has(surface)) identities.set(surface, (surfaces += 1))
  const pinned = options.product !== undefined
  const sets = [...new Set(options.toolsets)].sort().join(',')
  const key = `${String(identities.get(surface))} ${sets} ${String(options.readOnly)} ${String(pinned)} ${String(options.local === true)}`
  const known = listings.get(key)
  if (known !== undefined) return known
  const made = makeListing(surface, options, pinned)
  listings.set(key, made)
  return made
}

function makeListing(surface: Surface, options: SurfaceOptions, pinned: boolean): Listing {
  const shown = surface.tools.filter((tool) => isShown(tool, options))
  const names = new Set(shown.map((tool) => tool.name))
  const offers = (tool: string) => names.has(tool)
  const tools = shown.map((tool) => listTool(tool, pinned, offers))
  return {
    tools,
    resources: surface.resources.map((resource) => ({ ...resource, text: documentOffered(resource.text, offers) })),
    templates: surface.templates.flatMap((template) => {
      const listed = tools.find(({ tool }) => tool.name === template.tool)
      const description = sentencesOffered(template.description, offers)
      return listed === undefined ? [] : [{ template, description, tool: listed }]
    }),
    prompts: surface.prompts.filter((prompt) => prompt.tools.every(offers)).map((prompt) => listPrompt(prompt, pinned)),
    views: (surface.views ?? []).filter((view) => view.tools.some(offers)),
    digest: stateDigest(tools.map(({ tool, input }) => [tool.name, ...Object.keys(input.shape)])).slice(0, 8),
    offers,
    leftOut: new Map(
      surface.tools.flatMap((tool) => (offers(tool.name) ? [] : [[tool.name, whyLeftOut(tool, options)]])),
    ),
  }
}

function whyLeftOut({ toolset }: Tool, { toolsets }: SurfaceOptions): string {
  const isChosen = toolsets.includes(toolset) || toolsets.includes('all')
  return isChosen
    ? 'this server does not offer it'
    : `it is in the toolset ${toolset}, which this server does not offer`
}

function listTool(tool: Tool, pinned: boolean, offers: Listing['offers']): ListedTool {
  const input = pinned && 'product' in tool.input.shape ? tool.input.omit({ product: true }) : tool.input
  const inputJson = descriptionsOffered(publishedInput(input), offers)
  return {
    tool,
    description: sentencesOffered(tool.description, offers),
    input,
    inputJson,
    outputJson: envelopeJson(tool.output),
  }
}

function listPrompt(prompt: Prompt, pinned: boolean): Prompt {
  if (!pinned) return prompt
  const { product: _, ...args } = prompt.args
  return { ...prompt, args }
}
