import { counted } from '../../lib/counted.ts'
import type { UploadOutcome } from '../../mcp/files/source-map-upload.ts'

/** Beyond this number, only files with a warning are listed. */
const LISTED = 20

/** The outcome of an upload, as lines for the user. */
export function summary(
  outcome: UploadOutcome,
  { path, release, product }: { path: string; release: string; product: string },
): string[] {
  const { sourceMap, known, resymbolicated, unmatched } = outcome
  const ready = sourceMap.state === 'SOURCEMAP_STATE_READY'
  const what = `${counted(outcome.maps, 'source map')}, ${counted(outcome.scripts, 'JavaScript file')}, ${megabytes(outcome.sizeBytes)}`
  return [
    `${known ? 'Already uploaded' : ready ? 'Uploaded' : 'Not usable'}: ${path} (${what}) for release ${release} of ${product}`,
    ...(ready ? [] : [`  ${sourceMap.error?.message ?? `the service says ${sourceMap.state ?? 'nothing'}`}`]),
    ...fileLines(sourceMap.files ?? []),
    ...unmatched.map(
      ({ file, map }) => `  ${file} names the source map ${map.slice(0, 200)}, which is not in the folder`,
    ),
    ...skippedLine(outcome),
    ...(outcome.limitsWarning === undefined ? [] : [`  ${outcome.limitsWarning}`]),
    ...(resymbolicated === undefined || !ready ? [] : [usedLine(resymbolicated)]),
  ]
}

/** Maps usually arrive before the first event. */
function usedLine(resymbolicated: number): string {
  return resymbolicated === 0
    ? 'no event has used these maps yet'
    : `${counted(resymbolicated, 'issue')} symbolicated again`
}

function fileLines(files: NonNullable<UploadOutcome['sourceMap']['files']>): string[] {
  const withWarnings = files.filter((file) => file.valid === false || (file.warnings ?? []).length > 0)
  const shown = files.length <= LISTED ? files : withWarnings
  const more = files.length - shown.length
  return [
    ...shown.flatMap(({ path = '?', kind, sources, valid, warnings = [] }) => {
      const holds = kind === 'source_map' && sources !== undefined ? `: ${counted(sources, 'source')}` : ''
      return [
        `  ${path}${valid === false ? ': not usable' : holds}`,
        ...warnings.map((warning) => `    warning: ${warning}`),
      ]
    }),
    ...(more === 0 ? [] : [`  and ${counted(more, 'file')} without a warning`]),
  ]
}

function skippedLine({ others, links }: UploadOutcome): string[] {
  const parts = [
    ...(others === 0 ? [] : [counted(others, 'other file')]),
    ...(links === 0 ? [] : [counted(links, 'link')]),
  ]
  return parts.length === 0 ? [] : [`  not sent: ${parts.join(', ')}`]
}

/** `1.2 MB`; in units of 1,000. */
export function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${String(Math.ceil(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
