import type { Rows } from '../../../../sql/database.ts'
import { readJson } from '../../../../sql/json.ts'
import { StoredCauses } from '../../columns.ts'
import { issuesToRead, keptByIssue } from '../../../../workspace/issue-facts/kept-by-issue.ts'

/** Between the texts of an issue; no text that is searched holds it. */
const SEPARATOR = '\0'

/** What is searched of an issue itself. */
const OWN = ['title', 'value', 'culprit'] as const

/** Issues with the text in their title, message, culprit or causes, or in a file or function that they went through. */
export async function issuesWithText(rows: Rows, productId: number, text: string): Promise<string[]> {
  // Only what is kept saves reading all texts.
  if (rows.committedState === undefined || text.includes(SEPARATOR)) return findStored(rows, productId, text)
  const own = await keptByIssue(rows, productId, {
    name: 'own texts',
    follows: 'every change',
    read: (issueIds) => readOwn(rows, productId, issueIds),
    size: (all) => all.length,
  })
  const places = await keptByIssue(rows, productId, {
    name: 'places as text',
    follows: 'facts revision',
    read: (issueIds) => readPlaces(rows, productId, issueIds),
    size: (all) => all.length,
  })
  const wanted = inLowerCase(text)
  const holding = (texts: ReadonlyMap<string, string>) =>
    [...texts].flatMap(([id, all]) => (all.includes(wanted) ? [id] : []))
  return [...new Set([...holding(own), ...holding(places)])]
}

async function findStored(rows: Rows, productId: number, text: string): Promise<string[]> {
  const own = await rows
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', productId)
    .where((eb) =>
      // The causes are JSON, in which a namespace of PHP has two backslashes.
      eb.or([
        rows.dialect.anyContains(OWN, text),
        rows.dialect.anyContains(['causes'], JSON.stringify(text).slice(1, -1)),
      ]),
    )
    // As they are stored, page by page: in the order of another index it takes half as long again.
    .orderBy('number')
    .execute()
  const through = await rows
    .selectFrom('issue_frame')
    .select('issue_id as id')
    .distinct()
    .where('product_id', '=', productId)
    .where(rows.dialect.anyContains(["path || ' ' || function"], text))
    .execute()
  return [...new Set([...own, ...through].map(({ id }) => id))]
}

/** By issue: its title, message, culprit and causes in lower case. */
async function readOwn(
  rows: Rows,
  productId: number,
  issueIds: readonly string[] | undefined,
): Promise<Map<string, string>> {
  const found = await rows
    .selectFrom('issue')
    .select(['id', ...OWN, 'causes'])
    .where(issuesToRead(rows, productId, issueIds))
    .$if(issueIds === undefined, (of) => of.orderBy('number'))
    .execute()
  return new Map(
    found.map((row) => {
      const causes = row.causes === null ? [] : readJson(StoredCauses, row.causes)
      return [row.id, inLowerCase([...OWN.map((name) => row[name]), ...causes].join(SEPARATOR))]
    }),
  )
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
