import type { Rows } from '../../../../sql/database.ts'
import { keptByIssue } from '../../../../workspace/issue-facts/kept-by-issue.ts'

/** Between the places of an issue; no text that is searched holds it. */
const SEPARATOR = '\0'

/** Issues with the text in their title, message, culprit or causes, or in a file or function that they went through. */
export async function issuesWithText(rows: Rows, productId: number, text: string): Promise<string[]> {
  const own = await rows
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', productId)
    .where(rows.dialect.anyContains(['title', 'value', 'culprit', 'causes'], text))
    // As they are stored, page by page: in the order of another index it takes half as long again.
    .orderBy('number')
    .execute()
  return [...new Set([...own.map(({ id }) => id), ...(await issuesThrough(rows, productId, text))])]
}

/** Issues that went through a file or function of the team whose name holds the text. */
async function issuesThrough(rows: Rows, productId: number, text: string): Promise<string[]> {
  // Only what is kept saves reading all places.
  if (rows.committedState === undefined || text.includes(SEPARATOR)) return findThrough(rows, productId, text)
  const places = await keptByIssue(rows, productId, {
    name: 'places as text',
    follows: 'facts revision',
    read: (issueIds) => readPlaces(rows, productId, issueIds),
    size: (all) => all.length,
  })
  const wanted = inLowerCase(text)
  return [...places].flatMap(([id, all]) => (all.includes(wanted) ? [id] : []))
}

async function findThrough(rows: Rows, productId: number, text: string): Promise<string[]> {
  const found = await rows
    .selectFrom('issue_frame')
    .select('issue_id')
    .distinct()
    .where('product_id', '=', productId)
    .where(rows.dialect.anyContains(["path || ' ' || function"], text))
    .execute()
  return found.map((row) => row.issue_id)
}

/** By issue: its files and functions in lower case. */
async function readPlaces(
  rows: Rows,
  productId: number,
  issueIds: readonly string[] | undefined,
): Promise<Map<string, string>> {
  const found = await rows
    .selectFrom('issue_frame')
    .select(['issue_id', 'path', 'function'])
    .where('product_id', '=', productId)
    .$if(issueIds !== undefined, (of) => of.where(rows.dialect.isOneOf('issue_id', issueIds ?? [])))
    .execute()
  const texts = new Map<string, string[]>()
  for (const { issue_id: id, path, function: name } of found) {
    const place = `${path} ${name}`
    const own = texts.get(id)
    if (own === undefined) texts.set(id, [place])
    else own.push(place)
  }
  return new Map([...texts].map(([id, places]) => [id, inLowerCase(places.join(SEPARATOR))]))
}

/** As `Dialect.anyContains` compares: only ASCII letters have a case. */
function inLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
