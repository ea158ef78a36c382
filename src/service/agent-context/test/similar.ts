import { dirname } from 'node:path/posix'
import type * as z from 'zod'
import type { TestContext } from '../../../contract/test-context.ts'
import type { Rows } from '../../sql/database.ts'
import { testKey } from '../../quality/keys.ts'
import { readTexts } from '../../sql/json.ts'

export type SimilarTest = z.input<typeof TestContext>['similar_tests'][number]

/** The number of candidates by words that are then compared by component and folder. */
const CANDIDATES = 50
const STOP = new Set([
  'the',
  'and',
  'shall',
  'must',
  'should',
  'when',
  'then',
  'given',
  'with',
  'that',
  'for',
  'not',
  'are',
  'has',
])

/** Tests similar to the one to be written: by words (BM25), ranked higher in the same component or folder. */
export async function similarTests(
  rows: Rows,
  productId: number,
  facts: {
    text: string
    componentIds: readonly string[]
    folders: readonly string[]
    except: ReadonlySet<string>
    max: number
  },
): Promise<SimilarTest[]> {
  const words = facts.text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []
  const ranked = rows.dialect.textIndex.search('test', words.filter((word) => !STOP.has(word)).join(' '), 'any')
  if (ranked === undefined || facts.max === 0) return []
  const found = await rows
    .selectFrom('test')
    .innerJoin(ranked.as('ranked'), (join) => join.onRef('ranked.seq', '=', 'test.seq'))
    .select([
      'test.id',
      'test.number',
      'test.title',
      'test.file_path',
      'test.names_known',
      'test.framework',
      'test.component_ids',
      'ranked.rank',
    ])
    .where('test.product_id', '=', productId)
    .where('test.kind', '=', 'TEST_KIND_CASE')
    .where('test.deleted_at', 'is', null)
    .orderBy('ranked.rank')
    .limit(CANDIDATES + facts.except.size)
    .execute()
  const best = found[0]?.rank ?? -1
  return found
    .filter(({ id }) => !facts.except.has(id))
    .map(({ id, number, title, file_path, names_known, framework, component_ids, rank }): SimilarTest => {
      const sameComponent = readTexts(component_ids).some((one) => facts.componentIds.includes(one))
      const folder = dirname(file_path).replace(/^(?:test|tests|spec|e2e|src|lib)\//, '')
      const sameFolder = file_path !== '' && facts.folders.includes(folder)
      // Ranks are negative and the best is the lowest, so the best match by words scores 1.
      const score = rank / best + (sameComponent ? 0.3 : 0) + (sameFolder ? 0.3 : 0)
      const reasons = [
        'words in common',
        ...(sameComponent ? ['same component'] : []),
        ...(sameFolder ? ['same folder'] : []),
      ]
      return {
        id,
        key: testKey({ number }),
        title,
        file_path,
        names_known: names_known === 1,
        framework,
        score: Math.round(score * 100) / 100,
        reasons,
      }
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, facts.max)
}
