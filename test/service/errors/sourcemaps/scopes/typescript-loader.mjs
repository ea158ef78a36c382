import { transform } from 'esbuild'

/**
 * Makes webpack read TypeScript.
 *
 * @this {{ resourcePath: string, async(): (error: unknown, code?: string, map?: object) => void }}
 * @param {string} source
 */
export default async function load(source) {
  const done = this.async()
  try {
    const options = {
      loader: /** @type {const} */ ('ts'),
      target: 'esnext',
      sourcemap: true,
      sourcefile: this.resourcePath,
    }
    const { code, map } = await transform(source, options)
    done(null, code, JSON.parse(map))
  } catch (error) {
    done(error)
  }
}
