import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Recorded data, and programs that are input to the recorder: their layout is part of what was recorded. */
const recorded = /\/(?:recordings|shop|shop-tests)\//

const files = ['src', 'tools', 'resources', 'prompts'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .map((file) => `${top}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.(?:ts|mjs|cjs)$/.test(file) && !recorded.test(file)),
)

const folders = Map.groupBy(files, (file) => dirname(file))

/** The modules of the project that a module imports, types included. */
function imports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const relative = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g
  return [...text.matchAll(relative)].map(([, path = '']) => normalize(join(dirname(file), path)))
}

/** The nodes of a graph from which a path leads back to them. */
function inCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reachable = (start: string) => {
    const seen = new Set<string>()
    const open = [...(graph.get(start) ?? [])]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen.has(node)) continue
      seen.add(node)
      open.push(...(graph.get(node) ?? []))
    }
    return seen
  }
  return [...graph.keys()].filter((node) => reachable(node).has(node))
}

test('no module imports itself through others, not even for a type', () => {
  const graph = new Map(files.map((file) => [file, new Set(imports(file))]))
  expect(inCircles(graph)).toEqual([])
})

test('no folder imports itself through others', () => {
  // The files directly in src (errors.ts, config.ts, surface.ts …) have no subject in common: each counts as a folder.
  const place = (file: string) => (dirname(file) === 'src' ? file : dirname(file))
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const from = place(file)
    const others = imports(file)
      .map(place)
      .filter((to) => to !== from)
    graph.set(from, new Set([...(graph.get(from) ?? []), ...others]))
  }
  expect(inCircles(graph)).toEqual([])
})

test('a folder has at most 20 files, but for the list of tools', () => {
  const crowded = [...folders].filter(([folder, inside]) => folder !== 'tools' && inside.length > 20)
  expect(crowded.map(([folder, inside]) => `${folder}: ${String(inside.length)}`)).toEqual([])
})

test('the entrance of a folder is its index.ts, never a file with the name of the folder', () => {
  const twins = files.filter((file) => [...folders.keys()].some((folder) => file === `${folder}.ts`))
  expect(twins).toEqual([])
})

test('no product file has more than 310 lines', () => {
  const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 310)
  expect(long).toEqual([])
})

test('no function has a name that ends in Of: a verb or a noun says more', () => {
  const named = /\bfunction\s+(\w+Of)\s*[(<]|\bconst\s+(\w+Of)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*(?::[^=]+)?=>/g
  const found = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(named)].map(
      ([, one, other]) => `${basename(file)}: ${one ?? other ?? ''}`,
    ),
  )
  expect(found).toEqual([])
})

test('zod is imported as a namespace, also for its types', () => {
  const named = files.filter((file) =>
    /^import (?:type )?\{[^}]*\} from 'zod'/m.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(named).toEqual([])
})
