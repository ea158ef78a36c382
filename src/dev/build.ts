import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build as bundle, type Metafile } from 'esbuild'
import packageJson from '../../package.json' with { type: 'json' }
import { LISTS_FILE } from '../cli/lists/prepared-lists.ts'
import { prepareLists } from '../cli/lists/prepare-lists.ts'
import { effects } from '../mcp/define/define.ts'
import { skillDocuments } from '../mcp/skills/documents.ts'
import { createListing } from '../mcp/surface/listing.ts'
import { surface } from '../surface.ts'
import { viewSources } from './views.ts'

const root = resolve(import.meta.dirname, '../..')

/** The Node versions that the published package supports; undici 8 requires this one. */
export const engines = '>=22.19'

/**
 * The command: JavaScript of 2009, so that any Node that a client finds can say that it is too old, and where it is.
 */
const entry = `#!/usr/bin/env node
var version = process.versions.node.split('.').map(Number)
if (version[0] > 22 || (version[0] === 22 && version[1] >= 19)) {
  require('./start.js')
} else {
  console.error(
    'tracegate: needs Node 22.19 or newer, this is ' + process.version + ' at ' + process.execPath + '\\n' +
    'Write the path of a newer Node as the command of the client, or run "tracegate install CLIENT --write" with one.'
  )
  process.exitCode = 1
}
`

/** Loads the cached bundle; apart from the command, because an old Node cannot even read a file with import(). */
const start = `const { enableCompileCache, flushCompileCache } = require('node:module')
enableCompileCache()
// A client that kills its server prevents the clean exit at which Node would write the cache.
setTimeout(() => flushCompileCache(), 2000).unref()
import('./main.mjs')
`

/**
 * Builds the published package: the bundle in chunks, so that a command loads only its own code (decision 019), the
 * files that it reads at run time, and a package.json without dependencies. Replaces the contents of `outdir`.
 */
export async function build(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true })
  const { metafile } = await bundleCommand(outdir, {
    main: 'src/main.ts',
    // A thread starts from its own file.
    'source-map-worker': 'src/service/errors/sourcemaps/process/worker-entry.ts',
    'event-worker': 'src/service/errors/ingest/thread-entry.ts',
    'report-worker': 'src/service/quality/test-ingest/thread-entry.ts',
  })
  writeFileSync(join(outdir, LISTS_FILE), JSON.stringify(await prepareLists()))
  writeFileSync(join(outdir, 'tools.json'), `${JSON.stringify(toolList(), undefined, 2)}\n`)
  for (const { name, text } of skillDocuments(createListing(surface, everything))) {
    mkdirSync(join(outdir, 'skills', name), { recursive: true })
    writeFileSync(join(outdir, 'skills', name, 'SKILL.md'), text)
  }
  cpSync(join(root, 'src/service/sql/migrations'), join(outdir, 'migrations'), { recursive: true })
  for (const { file } of Object.values(viewSources)) cpSync(file, join(outdir, basename(file)))
  cpSync(join(root, 'src/service/sample/recordings'), join(outdir, 'recordings'), { recursive: true })
  for (const file of ['README.md', 'LICENSE']) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(outdir, file))
  }
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licences(metafile))
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(published(), undefined, 2)}\n`)
}

const everything = { toolsets: ['all'], readOnly: false, local: true }

/** Every tool as clients see it, for those who write lists of allowed tools and for catalogues that start no server. */
function toolList() {
  const { tools, digest } = createListing(surface, everything)
  return {
    version: packageJson.version,
    surface_digest: digest,
    tools: tools.map(({ tool, description, inputJson }) => ({
      name: tool.name,
      title: tool.title,
      description,
      toolset: tool.toolset,
      annotations: effects[tool.effect].annotations,
      inputSchema: inputJson,
    })),
  }
}

/** Bundles programs and writes the command `tracegate.js`, which starts the one that is named `main`. */
export async function bundleCommand(outdir: string, entryPoints: { main: string } & Record<string, string>) {
  mkdirSync(outdir, { recursive: true })
  const bundled = await bundle({
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    // All chunks are in one folder, because modules find their files relative to themselves.
    chunkNames: '[name]-[hash]',
    // The command beside them is CommonJS.
    outExtension: { '.js': '.mjs' },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module';const require = createRequireHere(import.meta.url);",
    },
  })
  const command = join(outdir, 'tracegate.js')
  writeFileSync(command, entry)
  writeFileSync(join(outdir, 'start.js'), start)
  chmodSync(command, 0o755)
  return bundled
}

function published() {
  const { name, version, description, license, mcpName, keywords } = packageJson
  return {
    name,
    version,
    description,
    license,
    mcpName,
    keywords,
    type: 'commonjs',
    engines: { node: engines },
    bin: { [name]: 'tracegate.js' },
  }
}

/** The licence text of every package in the bundle, as their licences require. */
function licences({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].toSorted().map(licenceText).join('\n\n')
}

function licenceText(folder: string): string {
  const path = join(root, folder)
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = readdirSync(path).find((entryName) => /^licen[cs]e/i.test(entryName))
  const text = file === undefined ? '' : readFileSync(join(path, file), 'utf8').trim()
  return `${name ?? folder} ${version ?? ''} (${license ?? 'see its text'})\n\n${text}`
}

if (import.meta.main) {
  const outdir = join(root, 'dist')
  await build(outdir)
  const files = readdirSync(outdir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const bytes = files.reduce((sum, file) => sum + readFileSync(join(file.parentPath, file.name)).byteLength, 0)
  console.log(`dist: ${String(files.length)} files, ${String(Math.round(bytes / 1024))} KiB`)
}
