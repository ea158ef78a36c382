import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SERVER_NAME } from '../../src/cli/clients/client.ts'
import { readMembers, valueAt } from '../../src/cli/clients/files/edit.ts'
import { wordsIn } from '../../src/cli/clients/installed.ts'
import { clients } from '../../src/cli/clients/list.ts'
import { readmeFile, replaceGenerated } from '../../src/dev/readme/index.ts'
import { surface } from '../../src/surface.ts'

const readme = readFileSync(readmeFile, 'utf8')

test('what README.md says of clients and tools follows from the code: run npm run readme', () => {
  expect(replaceGenerated(readme)).toBe(readme)
})

test('every snippet is a file of its client that starts the published package', () => {
  for (const client of clients) {
    const [, text = ''] = new RegExp(`^${client.title}:\n\n\`\`\`\\w+\n([^]*?)\n\`\`\``, 'm').exec(readme) ?? []
    const entry = valueAt(readMembers(client.format, text), [...client.servers, SERVER_NAME])
    expect([client.title, ...wordsIn(entry as never)]).toEqual([client.title, 'npx', '-y', 'tracegate'])
  }
})

test('the links hold the same entry', () => {
  const [, cursor = ''] = /\[install\]\((https:\/\/cursor\.com[^)]*)\)/.exec(readme) ?? []
  const config = new URL(cursor).searchParams.get('config') ?? ''
  expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ command: 'npx', args: ['-y', 'tracegate'] })
  const [, code = ''] = /\[install\]\((https:\/\/vscode\.dev[^)]*)\)/.exec(readme) ?? []
  const link = new URL(code).searchParams.get('url') ?? ''
  expect(JSON.parse(decodeURIComponent(link.replace('vscode:mcp/install?', '')))).toMatchObject({
    name: 'tracegate',
    command: 'npx',
  })
  const [goose = ''] = /goose:\/\/\S+(?=`)/.exec(readme) ?? []
  expect(new URL(goose).searchParams.getAll('arg')).toEqual(['-y', 'tracegate'])
})

test('no list of allowed tools has one that deletes or decides, and the first has none that writes', () => {
  const [, part = ''] = /<!-- generated: allow-lists -->([^]*)<!-- end of allow-lists -->/.exec(readme) ?? []
  const lists = [...part.matchAll(/```json\n([^]*?)\n```/g)].map(([, text = '']) => JSON.parse(text) as string[])
  const effects = lists.map((names) => [
    ...new Set(names.map((name) => surface.tools.find((tool) => tool.name === name)?.effect)),
  ])
  expect(lists).toHaveLength(3)
  expect(effects[0]).toEqual(['read'])
  expect(effects.flat().filter((effect) => !['read', 'create', 'update'].includes(effect ?? ''))).toEqual([])
})
