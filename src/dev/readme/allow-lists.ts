import type { Tool } from '../../mcp/define/define.ts'
import { createListing } from '../../mcp/surface/listing.ts'
import { namesIn } from '../../mcp/surface/naming.ts'
import { surface } from '../../surface.ts'

/** What a list is for, and the prompts whose changes it allows; deleting and deciding are in none. */
const lists: readonly { title: string; prompts: readonly string[] }[] = [
  { title: 'Reading', prompts: [] },
  { title: 'Reading, fixing errors and writing tests', prompts: ['fix_error_issue', 'close_coverage_gaps'] },
  { title: 'Reading, and preparing a release', prompts: ['release_check'] },
]

/** The names of tools that a client may call without asking, as Markdown, from the surface. */
export function allowLists(): string {
  const { tools } = createListing(surface, { toolsets: ['default'], readOnly: false, local: true })
  return lists
    .flatMap(({ title, prompts }) => {
      const named = new Set(prompts.flatMap(toolsNamed))
      const allowed = tools.map(({ tool }) => tool).filter((tool) => isAllowed(tool, named))
      return [
        `${title}:`,
        '',
        '```json',
        JSON.stringify(
          allowed.map(({ name }) => name),
          undefined,
          2,
        ),
        '```',
        '',
      ]
    })
    .join('\n')
    .trimEnd()
}

function isAllowed({ name, effect }: Tool, named: ReadonlySet<string>): boolean {
  return effect === 'read' || ((effect === 'create' || effect === 'update') && named.has(name))
}

function toolsNamed(prompt: string): string[] {
  const found = surface.prompts.find(({ name }) => name === prompt)
  if (found === undefined) throw new Error(`there is no prompt ${prompt}`)
  return namesIn(found.steps.join('\n'))
}
