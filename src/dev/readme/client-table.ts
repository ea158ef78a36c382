import type { Client, Machine } from '../../cli/clients/client.ts'
import { stdioEntry } from '../../cli/clients/entry.ts'
import { clients } from '../../cli/clients/list.ts'
import { snippet } from '../../cli/clients/snippet.ts'
import { npxWords } from '../../cli/support/own-command.ts'

/** Where files are on Linux, with `~` for the home of the user. */
const machine: Machine = { home: '~', platform: 'linux', env: {} }

/** The published package needs no path of a machine. */
const words = npxWords(machine.platform)

/** The clients with their files, links and snippets, as Markdown; all of it from the one list of clients. */
export function clientTable(): string {
  const rows = clients.map((client) => [
    client.title,
    `\`${client.id}\``,
    client.userFiles(machine).slice(0, 1).map(code).join(''),
    client.projectFiles.slice(0, 1).map(code).join('') || '-',
    oneClick(client),
  ])
  const snippets = clients.flatMap((client) => [
    '',
    `${client.title}:`,
    '',
    `\`\`\`${client.format === 'jsonc' ? 'json' : client.format}`,
    snippet(client, stdioEntry(client, words)),
    '```',
  ])
  return [
    ...table(['client', 'CLIENT', 'file of the user', 'file of a project', 'or at once'], rows),
    '',
    '<details>',
    '<summary>The snippets for the published package</summary>',
    ...snippets,
    '',
    '</details>',
  ].join('\n')
}

function oneClick(client: Client): string {
  const entry = stdioEntry(client, words)
  const link = client.link?.(entry)
  if (client.shell !== undefined) return code(client.shell.stdio(words.join(' ')))
  if (link === undefined) return '-'
  const web = client.webLink?.(link)
  return web === undefined ? code(link) : `[install](${web})`
}

const code = (text: string) => `\`${text}\``

/** A table as the formatter writes it: columns as wide as their widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)]
}
