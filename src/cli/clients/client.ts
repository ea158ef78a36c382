import type { Format, Members } from './files/values.ts'

/** What decides where a client keeps its files. */
export interface Machine {
  home: string
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
}

/** A server that the client starts itself. */
export interface Start {
  command: string
  args: readonly string[]
  /** Variables that the server needs and that no file may hold. */
  secrets: readonly string[]
  /** A reference to each of them; empty where the client replaces none. */
  env: Members
  /** Variables that lead through a proxy, for a client that passes on only what is named. */
  network: readonly string[]
}

/** A server that runs already. */
export interface Door {
  url: string
  /** The variable with the caller's token. */
  variable: string
  /** With the token, by reference. */
  headers: Members
}

/** In all projects of the user, or in one project. */
export const scopes = ['user', 'project'] as const
export type Scope = (typeof scopes)[number]

interface ShellOptions {
  scope?: Scope
}

/** An MCP client: where its configuration is, and how it names a server. */
export interface Client {
  /** As in `tracegate install <id>`. */
  id: string
  title: string
  format: Format
  /** The members that lead to the servers in the file. */
  servers: readonly string[]
  /** Absolute paths, the usual one first. */
  userFiles(this: void, machine: Machine): readonly string[]
  /** Paths below the folder of a project; none where the client has no such file. */
  projectFiles: readonly string[]
  /** How a value refers to a variable; absent where the client replaces none. */
  reference?(this: void, variable: string): string
  stdio(this: void, start: Start): Members
  http(this: void, door: Door): Members
  /** Rows of a list elsewhere in the file, told apart by `id`, that entries with a secret need. */
  rows?: { list: string; row: Members & { id: string } }
  /** A link that adds the entry; undefined where the client takes no such entry from a link. */
  link?(this: void, entry: Members): string | undefined
  /** The same as an address of the web, for pages that show no other links. */
  webLink?(this: void, link: string): string
  /** A command that adds it, by default to this project alone; `token` is a word of the shell. */
  shell?: {
    stdio(this: void, command: string, options?: ShellOptions): string
    http(this: void, url: string, token: string, options?: ShellOptions): string
  }
  /** Sentences that some users of this client need: with the file of a project, and with a token. */
  notes?: { project?: string; token?: string }
}

/** The name of the server in every file. */
export const SERVER_NAME = 'tracegate'
