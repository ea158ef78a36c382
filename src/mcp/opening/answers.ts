import { UI_EXTENSION, type SurfaceOptions } from '../define/define.ts'
import { SKILLS_EXTENSION } from '../skills/extension-name.ts'
import { instructions } from '../surface/instructions.ts'
import { descriptionsOffered, sentencesOffered } from '../surface/naming.ts'
import { isShown } from '../surface/shown.ts'
import { TASKS_EXTENSION } from '../tasks/task.ts'
import type { Item, PreparedLists } from './lists.ts'
import type { OpeningRequest } from './read.ts'

/** The result of a request; undefined when the server has to answer. */
export type AnswerOpening = (request: OpeningRequest) => Item | undefined

/** Answers from prepared lists, as a server with these options does over stdio. */
export function createAnswers(prepared: PreparedLists, options: SurfaceOptions): AnswerOpening {
  const shown = shownPart(prepared, options)
  return ({ method, era, protocolVersion }) => {
    const frame = prepared.frames[era][method]
    switch (method) {
      case 'initialize':
        return { ...frame, protocolVersion, ...introduction(frame, shown) }
      case 'server/discover':
        return { ...frame, ...introduction(frame, shown) }
      case 'tools/list':
        return filled(frame, 'tools', shown.tools)
      case 'prompts/list':
        return filled(frame, 'prompts', shown.prompts)
      case 'resources/list':
        return filled(frame, 'resources', shown.resources)
      case 'resources/templates/list':
        return filled(frame, 'resourceTemplates', shown.templates)
    }
  }
}

/** A server without tools or without prompts does not know their method. */
function filled(frame: Item | undefined, member: string, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : { ...frame, [member]: items }
}

type Offers = (tool: string) => boolean
type Shown = ReturnType<typeof shownPart>

function shownPart(prepared: PreparedLists, options: SurfaceOptions) {
  const tools = prepared.tools.filter((tool) => isShown(tool, options))
  const names = new Set(tools.map(({ name }) => name))
  const offers = (tool: string) => names.has(tool)
  const pinned = options.product !== undefined
  const resources = prepared.resources.filter((resource) => resource.tools?.some(offers) ?? true)
  const templates = prepared.templates.filter(({ tool }) => tool === undefined || offers(tool))
  const prompts = prepared.prompts.filter((prompt) => prompt.tools.every(offers))
  const suggests = prompts.some((prompt) => prompt.suggests.some((name) => !pinned || name !== 'product'))
  return {
    tools: tools.map(({ item }) => toolItem(item, pinned, offers)),
    resources: resources.map(({ item }) => item),
    templates: templates.map(({ tool, item }) =>
      tool === undefined ? item : { ...item, description: sentencesOffered(String(item['description']), offers) },
    ),
    prompts: prompts.map(({ item }) => (pinned ? withoutProduct(item) : item)),
    offers,
    completes: suggests || templates.some(({ tool }) => tool !== undefined),
    subscribes: templates.some(({ isWatched }) => isWatched),
    extensions: new Set([
      SKILLS_EXTENSION,
      ...(resources.some((resource) => resource.tools !== undefined) ? [UI_EXTENSION] : []),
      ...(tools.some(({ startsTasks }) => startsTasks) ? [TASKS_EXTENSION] : []),
    ]),
  }
}

function toolItem(item: Item, pinned: boolean, offers: Offers): Item {
  const inputSchema = descriptionsOffered(item['inputSchema'] as { properties: Item }, offers)
  if (pinned) {
    const { product: _, ...properties } = inputSchema.properties
    inputSchema.properties = properties
  }
  return { ...item, description: sentencesOffered(String(item['description']), offers), inputSchema }
}

function withoutProduct(item: Item): Item {
  const given = item['arguments'] as readonly { name: string }[]
  return { ...item, arguments: given.filter(({ name }) => name !== 'product') }
}

/** What depends on the options in the answer that says who the server is. */
function introduction(frame: Item | undefined, { offers, completes, subscribes, extensions }: Shown): Item {
  const offered = frame?.['capabilities'] as Readonly<Record<string, Item>>
  const { extensions: known = {}, completions, ...others } = offered
  const kept = Object.entries(known).filter(([name]) => extensions.has(name))
  return {
    capabilities: {
      ...others,
      resources: { ...others['resources'], subscribe: subscribes },
      ...(kept.length > 0 && { extensions: Object.fromEntries(kept) }),
      ...(completes && { completions }),
    },
    instructions: instructions(offers),
  }
}
