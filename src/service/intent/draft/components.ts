import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import { compileComponentRows } from '../../workspace/components/components.ts'
import type { Candidate } from '../types.ts'

const file = /(?<![\w/.-])(?:[\w.-]+\/)+[\w.-]+\.\w{1,8}(?![\w/-])/gu

/**
 * Finds the components of a candidate: that of the files that it names where all are of one component, else those of the
 * group that it is drafted below, else none.
 */
export async function createComponentFinder(rows: Rows, productId: number, parentId: string | undefined) {
  const components = await rows.selectFrom('component').selectAll().where('product_id', '=', productId).execute()
  const owners = compileComponentRows(components)
  const parent = await rows
    .selectFrom('requirement')
    .select('component_ids')
    .where('id', '=', parentId ?? '')
    .executeTakeFirst()
  const inherited = parent === undefined ? [] : readTexts(parent.component_ids)
  return (candidate: Candidate, files: readonly string[]): string[] => {
    const named = new Set([...files, ...namedFiles(candidate)].map((path) => owners.findOwner(path)))
    const [owner] = named
    return named.size === 1 && owner !== undefined ? [owner] : inherited
  }
}

function namedFiles({ statement, criteria }: Candidate): string[] {
  const text = [statement, ...criteria.map((one) => one.text)].join('\n')
  return Array.from(text.matchAll(file), ([path]) => path)
}
