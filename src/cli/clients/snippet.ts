import { stringify } from 'yaml'
import { SERVER_NAME, type Client } from './client.ts'
import type { Members } from './files/values.ts'
import { rowsFor } from './entry.ts'
import { writeToml } from './files/edit-toml.ts'
import { writeJson } from './files/write-json.ts'

/** A file of the client that holds nothing but the entry. */
export function snippet(client: Client, entry: Members): string {
  const members = wholeFile(client, entry)
  switch (client.format) {
    case 'toml':
      return writeToml(members)
    case 'yaml':
      return stringify(members, { lineWidth: 0 }).trim()
    case 'json':
    case 'jsonc':
      return writeJson(members)
  }
}

/** The same in one line, for formats that allow it. */
export function shortSnippet(client: Client, entry: Members): string {
  return JSON.stringify(wholeFile(client, entry))
}

function wholeFile(client: Client, entry: Members): Members {
  const servers = client.servers.reduceRight<Members>((inner, name) => ({ [name]: inner }), { [SERVER_NAME]: entry })
  const rows = rowsFor(client, entry, {}).map(({ path: [list], row }) => [list, [row]] as const)
  return { ...servers, ...Object.fromEntries(rows) }
}
