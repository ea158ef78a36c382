import * as z from 'zod'
import { UploadDefect } from './processed.ts'

/** The manifest's entry for one file of a bundle. */
export interface ManifestFile {
  type: string
  /** The path that lookups use, `~/assets/app.js`; '' when the manifest does not name one. */
  url: string
  debugId: string
  /** Where the map of a minified file is, relative to its address. */
  sourceMap: string
}

const Manifest = z.object({
  files: z.record(
    z.string(),
    z.object({
      type: z.string().default(''),
      url: z.string().max(2_000).default(''),
      headers: z.record(z.string(), z.string()).default({}),
    }),
  ),
})

/** Reads the `manifest.json` of a bundle, by path inside it (errors §3.3). Throws `UploadDefect`. */
export function readManifest(text: string): Map<string, ManifestFile> {
  return new Map(
    Object.entries(parsed(text).files).map(([path, { type, url, headers }]) => {
      const names = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      const sourceMap = names.get('sourcemap') ?? names.get('x-sourcemap') ?? ''
      return [path, { type, url, debugId: names.get('debug-id') ?? '', sourceMap }]
    }),
  )
}

function parsed(text: string) {
  const defect = 'manifest.json of the bundle is not of the form {"files": {"<path>": {"type", "url", "headers"}}}.'
  try {
    return Manifest.parse(JSON.parse(text))
  } catch {
    throw new UploadDefect('INVALID_MANIFEST', defect)
  }
}
