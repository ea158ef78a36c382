import type { Context } from '../../../src/mcp/define/define.ts'
import type { UploadOutcome, UploadProgress } from '../../../src/mcp/files/source-map-upload.ts'

/** `https://shop.example/assets/app.js` as the prefix before its name, and the name its map is found by. */
export function mapLocation(minifiedUrl: string, path: string): { urlPrefix?: string; fileName?: string } {
  // A bare origin is a folder too.
  const plain = minifiedUrl.replace(/[?#].*$/, '').replace(/^([a-z][a-z0-9+.-]*:\/\/[^/]+)$/i, '$1/')
  const end = plain.lastIndexOf('/') + 1
  const name = plain.slice(end)
  return {
    ...(end > 0 && { urlPrefix: plain.slice(0, end) }),
    ...(name !== '' && { fileName: path.endsWith('.map') ? `${name}.map` : name }),
  }
}

/** One number over the whole call: reading takes the first third, sending goes up to 90. */
export function percent({ step, done, total }: UploadProgress): Parameters<Context['progress']>[0] {
  const part = total === 0 ? 0 : Math.min(1, done / total)
  if (step === 'index') return { done: 90, total: 100, message: 'indexing' }
  const [from, width, message] =
    step === 'read' ? ([0, 30, 'reading the files'] as const) : ([30, 60, 'sending'] as const)
  return { done: from + Math.floor(part * width), total: 100, message }
}

/** A comment in a built file may be written by anyone: only what looks like a path is shown. */
export function fileName(map: string): string {
  return /^[\w@.~%+/-]{1,200}$/.test(map) ? map : `a name of ${map.length} characters`
}

/** The files that the service found fault with. */
export function warningRows({ sourceMap }: UploadOutcome) {
  return (sourceMap.files ?? [])
    .filter(({ valid, warnings }) => valid === false || (warnings ?? []).length > 0)
    .map(({ path, valid, warnings = [] }) => ({
      path,
      valid: valid === false ? valid : undefined,
      warning: warnings.join('; ') || 'not usable',
    }))
}
