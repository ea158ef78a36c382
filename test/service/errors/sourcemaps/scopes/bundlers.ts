import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from '@rollup/wasm-node'
import { build, transform } from 'esbuild'
import webpack from 'webpack'

/** Bundles and minifies a program with a source map beside each file; gives the file to run. */
export type Bundler = (entry: string, folder: string) => Promise<string>

const loader = fileURLToPath(new URL('typescript-loader.mjs', import.meta.url))

export const bundlers: Record<string, Bundler> = { esbuild: byEsbuild, rollup: byRollup, webpack: byWebpack }

async function byEsbuild(entry: string, folder: string): Promise<string> {
  await build({
    entryPoints: [entry],
    outdir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    sourcemap: true,
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    outExtension: { '.js': '.mjs' },
  })
  return join(folder, 'main.mjs')
}

/** As Vite does: rollup joins the modules, esbuild minifies each chunk, rollup joins the maps. */
async function byRollup(entry: string, folder: string): Promise<string> {
  const bundle = await rollup({
    input: entry,
    external: /^node:/,
    plugins: [
      {
        name: 'typescript',
        load: (id) => readFile(id, 'utf8'),
        transform: (code, id) => transform(code, { loader: 'ts', target: 'esnext', sourcemap: true, sourcefile: id }),
      },
      {
        name: 'minify',
        renderChunk: (code) => transform(code, { minify: true, target: 'esnext', format: 'esm', sourcemap: true }),
      },
    ],
  })
  await bundle.write({
    dir: folder,
    format: 'es',
    sourcemap: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()
  return join(folder, 'main.mjs')
}

async function byWebpack(entry: string, folder: string): Promise<string> {
  const compiler = webpack({
    mode: 'production',
    target: 'node',
    devtool: 'source-map',
    context: dirname(entry),
    entry,
    module: { rules: [{ test: /\.mts$/, type: 'javascript/esm', loader }] },
    output: { path: folder, filename: '[name].cjs', chunkFilename: '[name].cjs' },
  })
  await new Promise<void>((resolve, reject) => {
    compiler.run((error, stats) => {
      const failure = error ?? stats?.toJson({ errors: true }).errors?.[0]
      compiler.close(() => (failure ? reject(new Error(failure.message)) : resolve()))
    })
  })
  return join(folder, 'main.cjs')
}
