import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

/** Adds to bundles and their maps the debug ids by which an error service matches them. */
export async function injectDebugIds(bundles: readonly string[]): Promise<void> {
  for (const file of bundles) {
    const code = await readFile(file, 'utf8')
    const map = JSON.parse(await readFile(`${file}.map`, 'utf8')) as { mappings: string }
    const debugId = debugIdFor(code)
    await writeFile(file, `${announce(debugId)}\n${code}//# debugId=${debugId}\n`)
    // An empty line of mappings for the line that was prepended.
    await writeFile(`${file}.map`, JSON.stringify({ ...map, mappings: `;${map.mappings}`, debug_id: debugId, debugId }))
  }
}

/** The SDK reads these ids when it reports an error; the stack in each key names the file that announced the id. */
function announce(debugId: string): string {
  return `try{(globalThis._sentryDebugIds??={})[new Error().stack]="${debugId}"}catch{}`
}

/** The same code has the same id. */
function debugIdFor(code: string): string {
  const hex = hash('sha256', code, 'hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
