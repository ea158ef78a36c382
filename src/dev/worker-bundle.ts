import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'

// Whatever address it has, it is only asked for Node's own modules.
const banner = "import { createRequire } from 'node:module';const require = createRequire('file:///');"

const made = new Map<string, Promise<URL>>()

/**
 * The module of a worker with all it imports as one address of plain JavaScript; made once per process. In a checkout Node
 * would strip the types in each thread with WebAssembly, and threads that come and go with WebAssembly make V8 abort the
 * process (`Check failed: jit_page.has_value()`, nodejs/node#64500).
 */
export function bundledWorker(entry: URL): Promise<URL> {
  const known = made.get(entry.href) ?? bundle(entry)
  made.set(entry.href, known)
  return known
}

async function bundle(entry: URL): Promise<URL> {
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
}
