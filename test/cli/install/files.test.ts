import { describe, expect, test } from 'vitest'
import { readMembers, setValue } from '../../../src/cli/clients/files/edit.ts'
import { clients } from '../../../src/cli/clients/list.ts'

const entry = { command: 'node', args: ['a'] }
const path = ['servers', 'tracegate']

describe('JSON with comments', () => {
  const set = (text: string) => setValue('jsonc', text, path, entry)

  test('keeps comments, trailing commas and the indentation of its author', () => {
    expect(set('{\n    "a": 1, // one\n    "servers": {\n        "x": {}, // last\n        // end\n    },\n}\n')).toBe(
      '{\n    "a": 1, // one\n    "servers": {\n        "x": {}, // last\n        // end\n' +
        '        "tracegate": {\n            "command": "node",\n            "args": ["a"]\n        },\n    },\n}\n',
    )
  })

  test('gets a comma where the last member has none', () => {
    expect(set('{\n  "a": 1 // one\n}')).toBe(
      '{\n  "a": 1, // one\n  "servers": {\n    "tracegate": {\n      "command": "node",\n      "args": ["a"]\n    }\n  }\n}',
    )
  })

  test('replaces our entry and nothing beside it', () => {
    expect(set('{"servers":{"tracegate":{"command":"old"},"b":-1.5e3},"c":null}')).toMatch(
      /^\{"servers":\{"tracegate":\{[^]*\},"b":-1\.5e3\},"c":null\}$/,
    )
  })

  test('may begin with a byte order mark, have Windows line ends, be empty or hold comments alone', () => {
    expect(set('\uFEFF{\r\n}\r\n')).toMatch(/^\uFEFF\{\r\n {2}"servers": \{\r\n[^\n]*\r\n/)
    for (const text of ['', '\n', '// mine\n', '{}', '{ /* mine */ }']) {
      expect(readMembers('jsonc', set(text))).toEqual({ servers: { tracegate: entry } })
      expect(set(text)).toContain(text.includes('mine') ? 'mine' : '')
    }
  })

  test('takes null for nothing, where it is in the way of our entry and elsewhere', () => {
    const after = { a: null, servers: { tracegate: entry } }
    expect(readMembers('jsonc', set('{"a": null, "servers": null}'))).toEqual(after)
    expect(readMembers('jsonc', set('{"a": null, "servers": {"tracegate": null}}'))).toEqual(after)
  })

  test.each([
    'null',
    "{'a':1}",
    '{a:1}',
    '{"a":f()}',
    '{"a":0x1}',
    '{"a":!1}',
    '{"a":1}{}',
    '[1]',
    '{"a":[,1]}',
    '{...a}',
    '"a"',
    '{"a"(){}}',
  ])('is not %s, which JavaScript would take', (text) => {
    expect(() => set(text)).toThrow('is not valid JSONC')
  })
})

describe('TOML', () => {
  const set = (text: string) => setValue('toml', text, path, entry)

  test('gets a new table at its end', () => {
    expect(set('a = 1 # one')).toBe('a = 1 # one\n\n[servers.tracegate]\ncommand = "node"\nargs = ["a"]\n')
    expect(set('')).toBe('[servers.tracegate]\ncommand = "node"\nargs = ["a"]\n')
  })

  test('replaces our table, however its name is written, up to the comments of the next', () => {
    expect(set('[ "servers" . tracegate ] # x\ncommand = "old"\nurl = "u"\n\n# next\n[servers.b]\nc = 1\n')).toBe(
      '[servers.tracegate]\ncommand = "node"\nargs = ["a"]\n\n# next\n[servers.b]\nc = 1\n',
    )
  })

  test('keeps tables within ours that have headers of their own, writes those that change and removes those that go', () => {
    const text =
      '[servers.tracegate.env] # of me\nMINE = "1" # one\n\n[servers.tracegate]\ncommand = "old"\n\n[b]\nc = 1\n\n[servers.tracegate.gone]\nd = 1\n'
    const ours = (env: Record<string, string>) => setValue('toml', text, path, { ...entry, env })
    const rest = '\n[servers.tracegate]\ncommand = "node"\nargs = ["a"]\n\n[b]\nc = 1\n\n'
    expect(ours({ MINE: '1' })).toBe(`[servers.tracegate.env] # of me\nMINE = "1" # one\n${rest}`)
    expect(ours({ MINE: '2' })).toBe(`[servers.tracegate.env]\nMINE = "2"\n${rest}`)
  })

  test('gets a table within ours after it', () => {
    const withVariables = { ...entry, env: { MINE: '1' } }
    const table = '[servers.tracegate]\ncommand = "node"\nargs = ["a"]\n\n[servers.tracegate.env]\nMINE = "1"\n'
    expect(setValue('toml', '', path, withVariables)).toBe(table)
    expect(setValue('toml', '[servers.tracegate]\nenv = { MINE = "1" }\n', path, withVariables)).toBe(table)
  })

  test.each(['servers = {}\n', 'servers.tracegate.url = "u"\n', 'a = """\n[servers.tracegate]\n"""\n'])(
    'in which an edit would change something else is refused: %j',
    (text) => {
      expect(() => set(text)).toThrow('is written in a way that cannot be edited safely')
    },
  )
})

test('YAML keeps comments and the place of lists', () => {
  expect(setValue('yaml', '# top\na: x # y\nservers:\n  b:\n    args:\n    - a\n', path, entry)).toBe(
    '# top\na: x # y\nservers:\n  b:\n    args:\n    - a\n  tracegate:\n    command: node\n    args:\n    - a\n',
  )
})

test('files are where each platform keeps them', () => {
  const file = (id: string, platform: NodeJS.Platform, env: Record<string, string> = {}) =>
    clients
      .find((client) => client.id === id)
      ?.userFiles({ home: platform === 'win32' ? 'C:\\Users\\a' : '/home/a', platform, env })[0]
  expect(file('vscode', 'linux')).toBe('/home/a/.config/Code/User/mcp.json')
  expect(file('vscode', 'darwin')).toBe('/home/a/Library/Application Support/Code/User/mcp.json')
  expect(file('vscode', 'win32')).toBe('C:\\Users\\a\\AppData\\Roaming\\Code\\User\\mcp.json')
  expect(file('goose', 'win32', { APPDATA: 'D:\\data' })).toBe('D:\\data\\Block\\goose\\config\\config.yaml')
  expect(file('zed', 'darwin')).toBe('/home/a/.config/zed/settings.json')
  expect(file('opencode', 'linux', { XDG_CONFIG_HOME: '/x' })).toBe('/x/opencode/opencode.json')
  expect(file('codex', 'linux', { CODEX_HOME: '/c' })).toBe('/c/config.toml')
  expect(file('claude-code', 'linux', { CLAUDE_CONFIG_DIR: '/d' })).toBe('/d/.claude.json')
})

test('YAML fills a name without a value', () => {
  expect(setValue('yaml', 'a: x\nservers:\n', path, { command: 'node' })).toBe(
    'a: x\nservers:\n  tracegate:\n    command: node\n',
  )
})

test('YAML keeps what is commented out under a name without a value', () => {
  expect(setValue('yaml', 'servers:\n  # b:\n  #   args: []\na: x\n', path, { command: 'node' })).toBe(
    'servers:\n  # b:\n  #   args: []\n  tracegate:\n    command: node\na: x\n',
  )
})

test('YAML keeps its byte order mark and Windows line ends', () => {
  expect(setValue('yaml', '\uFEFFa: x # y\r\n', path, { command: 'node' })).toBe(
    '\uFEFFa: x # y\r\nservers:\r\n  tracegate:\r\n    command: node\r\n',
  )
})
