import { surface } from '../../src/surface.ts'
import type { ToolExamples } from './tool-examples.ts'

/** The examples of each tool by name, from `<tool>.examples.ts` next to the tool's test. */
export const examples: ReadonlyMap<string, ToolExamples> = new Map(
  await Promise.all(surface.tools.map(async ({ name }) => [name, await loadExamples(name)] as const)),
)

async function loadExamples(tool: string): Promise<ToolExamples> {
  const name = tool.replaceAll('_', '-')
  try {
    // Every file of this pattern exports its examples; the type checker sees each of them.
    const file = (await import(`./${name}.examples.ts`)) as { examples: ToolExamples }
    return file.examples
  } catch (error) {
    throw new Error(`${tool} needs examples for the checks: add test/tools/${name}.examples.ts`, { cause: error })
  }
}
