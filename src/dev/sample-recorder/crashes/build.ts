import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { injectDebugIds } from './debug-ids.ts'

/** One release of the shop, built as a shop would build it. */
export interface Build {
  release: string
  /** The folder it was built in; the recordings show /srv/shop instead. */
  workspace: string
  /** The server's entry file. */
  server: string
  /** The folder of what browsers load, and the names of its files there. */
  assets: string
  app: string
  sdk: string
}

const shopFolder = fileURLToPath(new URL('../shop', import.meta.url))

/** The installed packages of this checkout. */
export const packagesFolder = join(
  fileURLToPath(import.meta.resolve('esbuild')).split('node_modules')[0] ?? '',
  'node_modules',
)

/** Bundles and minifies one release with esbuild. */
export async function buildShop(folder: string, release: string, options: { debugIds: boolean }): Promise<Build> {
  const workspace = join(folder, release)
  await prepareWorkspace(workspace, release)
  const shared = sharedOptions(workspace, release)
  const assets = join(workspace, 'dist/public/assets')
  await build({ ...shared, ...serverOptions, outdir: join(workspace, 'dist/server') })
  await build({ ...shared, ...browserOptions, outdir: assets })
  const sdk = await buildSdk(workspace, assets)
  const server = await onlyFile(join(workspace, 'dist/server'), /\.mjs$/)
  const app = basename(await onlyFile(assets, /^app-\w+\.js$/))
  if (options.debugIds) await injectDebugIds(await listBundles({ workspace, sdk }))
  return { release, workspace, server, assets, app, sdk }
}

/** The shop's own bundles, without the SDK's. */
export async function listBundles({ workspace, sdk }: Pick<Build, 'workspace' | 'sdk'>): Promise<string[]> {
  const dist = join(workspace, 'dist')
  const names = await readdir(dist, { recursive: true })
  return names.filter((name) => /\.m?js$/.test(name) && basename(name) !== sdk).map((name) => join(dist, name))
}

/** Lays out the sources and the installed packages of one release. */
export async function prepareWorkspace(workspace: string, release: string): Promise<void> {
  await mkdir(workspace, { recursive: true })
  await cp(shopFolder, join(workspace, 'src'), { recursive: true })
  await symlink(packagesFolder, join(workspace, 'node_modules'), 'dir')
  const [name, version] = release.split('@')
  await writeFile(join(workspace, 'package.json'), JSON.stringify({ name, version, type: 'module' }))
}

function sharedOptions(workspace: string, release: string): BuildOptions {
  return {
    absWorkingDir: workspace,
    define: { __SHOP_RELEASE__: JSON.stringify(release) },
    bundle: true,
    minify: true,
    format: 'esm',
    sourcemap: 'linked',
    logLevel: 'warning',
    // Uses no tsconfig: not the one of the folder that the sources were copied from.
    tsconfigRaw: {},
  }
}

const serverOptions: BuildOptions = {
  entryPoints: { server: 'src/server/main.ts' },
  entryNames: '[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  external: ['@sentry/node'],
}

const browserOptions: BuildOptions = {
  entryPoints: { app: 'src/web/main.ts' },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  splitting: true,
  platform: 'browser',
  target: 'es2023',
  external: ['@sentry/browser'],
}

/** Builds the SDK as a separate chunk, which the page's import map points to. */
async function buildSdk(workspace: string, assets: string): Promise<string> {
  const names = 'init, setUser, setTags, addBreadcrumb, captureException, captureMessage, parameterize'
  await build({
    absWorkingDir: workspace,
    stdin: { contents: `export { ${names} } from '@sentry/browser'`, resolveDir: workspace, sourcefile: 'sdk.js' },
    entryNames: 'sdk-[hash]',
    outdir: assets,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    legalComments: 'none',
  })
  return basename(await onlyFile(assets, /^sdk-\w+\.js$/))
}

async function onlyFile(folder: string, name: RegExp): Promise<string> {
  const [file, ...others] = (await readdir(folder)).filter((each) => name.test(each))
  if (!file || others.length > 0) throw new Error(`expected one file like ${name} in ${relative('.', folder)}`)
  return join(folder, file)
}
