import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Random } from './random.ts'

const root = resolve(import.meta.dirname, '../../../..')
const libraries = ['kysely/dist', 'undici/lib', 'zod/v4', 'picomatch/lib', 'yauzl']
/** Lines before and after that the Node SDK sends. */
const CONTEXT = 7
const LONGEST_LINE = 140

interface SourceFile {
  name: string
  lines: readonly string[]
  inApp: boolean
}

/** Makes the frames of a stack from lines of this repository and of its dependencies, in so many bytes of JSON. */
export function createStacks(): (random: Random, bytes: number) => unknown[] {
  const ours = readSources('src', 'src/**/*.ts', true)
  const theirs = libraries.flatMap((folder) => readSources(join('node_modules', folder), '**/*.js', false))
  return (random, bytes) => {
    const frames: unknown[] = []
    for (let left = bytes; left > 300;) {
      const made = frame(random, random.below(3) === 0 ? random.pick(theirs) : random.pick(ours))
      left -= JSON.stringify(made).length
      frames.unshift(left > 0 ? made : withoutContext(made))
    }
    return frames
  }
}

function readSources(folder: string, pattern: string, inApp: boolean): SourceFile[] {
  const cwd = join(root, inApp ? '.' : folder)
  return globSync(pattern, { cwd })
    .toSorted()
    .map((path) => ({
      name: join('/srv/shop', inApp ? path : join(folder, path)),
      lines: readFileSync(join(cwd, path), 'utf8')
        .split('\n')
        .map((line) => line.slice(0, LONGEST_LINE)),
      inApp,
    }))
    .filter(({ lines }) => lines.length > 4 * CONTEXT)
}

function frame(random: Random, { name, lines, inApp }: SourceFile) {
  const at = CONTEXT + random.below(lines.length - 2 * CONTEXT)
  const named = lines.slice(0, at + 1).findLast((line) => calledName(line) !== undefined)
  return {
    filename: name,
    module: name
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, ''),
    function: calledName(named ?? '') ?? 'Object.<anonymous>',
    lineno: at + 1,
    colno: 3 + random.below(60),
    in_app: inApp,
    pre_context: lines.slice(at - CONTEXT, at),
    context_line: lines[at],
    post_context: lines.slice(at + 1, at + 1 + CONTEXT),
  }
}

function withoutContext({
  pre_context: _pre,
  context_line: _line,
  post_context: _post,
  ...bare
}: ReturnType<typeof frame>) {
  return bare
}

function calledName(line: string): string | undefined {
  return /(?:function\*? |class )(\w+)/.exec(line)?.[1]
}
