import * as z from 'zod'
import { Component } from '../src/contract/components.ts'
import { counted } from '../src/lib/counted.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick, rows, teamLine } from '../src/mcp/result/output.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { repositoryPath } from './support/columns.ts'
import { PREVIEW } from './support/words.ts'
import { makeComponent, type MadeComponent } from './support/workspace/component-writes.ts'
import { READ_BACK } from './support/writes/outcome.ts'

export const createComponent = defineTool({
  name: 'create_component',
  toolset: 'setup',
  // One that exists stays as it is.
  effect: 'update',
  title: 'Create a component',
  description:
    'Create a component that owns files, so that error issues and requirements in its code get an owner. ' +
    'Safe to repeat: a component of that name stays as it is.',
  input: z.strictObject({
    product: parameters.Product,
    name: parameters.named('Component name.', z.string().trim().min(1).max(120)),
    globs: z.array(z.string().min(1).max(500)).min(1).max(100).describe('Files, such as src/cart/**.'),
    owners: z.array(z.string().trim().min(1).max(200)).max(50).optional().describe('Teams or e-mail addresses.'),
    dry_run: parameters.DryRun,
  }),
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['created', 'would_create', 'already', 'not_stated']),
    component: fields({
      id: z.string().optional(),
      ...pick(Component, 'name', 'criticality'),
      globs: z.array(repositoryPath),
      owners: z.array(teamLine),
    }).optional(),
    globs_of_others: rows({ component: z.string(), glob: repositoryPath }).optional(),
    undo: z.string().optional(),
  }),
  cuts: [
    { path: 'globs_of_others', least: 3 },
    { path: 'component.owners', least: 3 },
    { path: 'component.globs', least: 3 },
  ],

  async run({ product: given, name, globs, owners = [], dry_run: dryRun }, context) {
    const product = await context.resolve.product(given, { write: true })
    const made = await makeComponent({ product, name, globs, owners, dryRun }, context)
    const { outcome, component, overlaps } = made
    const id = outcome === 'created' ? component?.id : undefined
    return {
      answer: sentence(teamText(name), globs, made),
      product,
      data: {
        dry_run: dryRun,
        outcome,
        component: component && {
          ...component,
          globs: component.path_globs,
          owners: component.owners?.map(({ ref }) => ref ?? ''),
        },
        globs_of_others: overlaps,
        undo: outcome === 'created' ? 'no call deletes a component' : undefined,
      },
      next:
        id === undefined
          ? []
          : [nextCall('find_error_issues', { product: product.id, component: id }, 'the issues in its files')],
    }
  },
})

const words = {
  created: 'Created component',
  would_create: `${PREVIEW}would create component`,
  already: 'There is a component',
  not_stated: `${PREVIEW}would create, unless it is there, component`,
} as const

function sentence(name: string, globs: readonly string[], { outcome, component, overlaps, isReadBack }: MadeComponent) {
  const same = new Set(component?.path_globs ?? globs)
  const differs = same.size !== new Set(globs).size || globs.some((glob) => !same.has(glob))
  const note =
    outcome !== 'already' ? '' : differs ? ' with other globs, which no call changes' : '; nothing was changed'
  const others = overlaps.length === 0 ? '' : `; ${counted(overlaps.length, 'glob')} of others match the same files`
  return `${words[outcome]} ${name}${note}${others}.${isReadBack ? READ_BACK : ''}`
}
