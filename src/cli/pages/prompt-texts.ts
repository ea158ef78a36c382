import type { Config } from '../../config.ts'
import { createListing } from '../../mcp/surface/listing.ts'
import { promptText } from '../../mcp/surface/prompt-text.ts'
import type { Prompts } from '../../pages/support/prompts.ts'
import { surface } from '../../surface.ts'

/** The prompts of this configuration for people who copy them to an agent: the same texts that an agent gets. */
export function promptTexts({
  toolsets,
  readOnly,
  product,
}: Pick<Config, 'toolsets' | 'readOnly' | 'product'>): Prompts {
  const { prompts, offers } = createListing(surface, { toolsets, readOnly, product })
  const text = (name: string, args: Record<string, string>) => {
    const prompt = prompts.find((one) => one.name === name)
    return prompt && promptText(prompt, args, offers)
  }
  return {
    fixIssue: (issue) => text('fix_error_issue', { issue }),
    closeGaps: (id) => text('close_coverage_gaps', product === undefined ? { product: id } : {}),
  }
}
