import { build, stop } from 'esbuild'
import { fileURLToPath } from 'node:url'
import { createTurns } from '../lib/in-turn.ts'

// The address does not matter: require only loads Node's built-in modules here.
const banner = "import { createRequire } from 'node:module';const require = createRequire('file:///');"

const made = new Map<string, Promise<URL>>()
/** One after another, because the end of one stops esbuild. */
const turns = createTurns<'esbuild'>()

/**
 * Bundles the module of a worker with its imports into one data URL of plain JavaScript, once per process. In a
 * checkout Node would strip the types in each thread with WebAssembly, and short-lived threads that use WebAssembly
 * make V8 abort the process (`Check failed: jit_page.has_value()`, nodejs/node#64500).
 */
export function bundledWorker(entry: URL): Promise<URL> {
  const known = made.get(entry.href) ?? turns.run('esbuild', () => bundle(entry))
  made.set(entry.href, known)
  return known
}

async function bundle(entry: URL): Promise<URL> {
  try {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(entry)],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      minifyWhitespace: true,
      banner: { js: banner },
    })
    const code = Buffer.concat(outputFiles.map(({ contents }) => contents))
    return new URL(`data:text/javascript;base64,${code.toString('base64')}`)
  } finally {
    // esbuild's process would otherwise live as long as this one, and longer when this one is killed.
    await stop()
  }
}
