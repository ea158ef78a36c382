import type { FrameGroup } from './read-frames.ts'
import type { Cause, GroupBody } from './schema.ts'

const texts: Readonly<Record<Cause, string>> = {
  NO_UPLOAD: 'Upload the maps of this folder for the release.',
  FILE_NOT_UPLOADED:
    'The release has maps of this folder, but none of this file. If the build writes a map for it, upload that as well. A vendored file without a map, such as an SDK, can stay as it is.',
  NO_RELEASE:
    'Set `release` in the SDK to the version that is deployed, or inject debug ids when bundling, and upload the maps for it.',
  DEBUG_ID_MISMATCH:
    'Upload the maps of exactly the build that is deployed: build once, and upload and deploy the same files.',
  PATH_MISMATCH: 'Upload the maps with the prefix under which this file is served; compare nearest.path with file.',
  DIST_MISMATCH: 'Upload the maps for the dist that the events name, or set the same `dist` in the SDK.',
  OTHER_BUILD:
    'Upload the maps of exactly the build that is deployed: build once, and upload and deploy the same files.',
  MAP_INVALID: 'Build the maps again and upload them: what was uploaded cannot be read.',
  COLUMN_MISSING:
    'Break the minified code into lines (esbuild: lineLimit: 500; Terser: format.max_line_len: 500): the frames name a line without a column.',
  GENERATED_CODE: 'Nothing to do: the bundler generated this code, and it has no source.',
  UPLOADED_AFTER_EVENT:
    'Upload the maps before a release goes live, in the pipeline that builds it; these frames are readable now.',
}

const withCommand: ReadonlySet<Cause> = new Set([
  'NO_UPLOAD',
  'DEBUG_ID_MISMATCH',
  'PATH_MISMATCH',
  'DIST_MISMATCH',
  'OTHER_BUILD',
  'MAP_INVALID',
])

/** What repairs a group. */
export interface Repair {
  text: string
  /** Of the CLI; '' when none repairs it. */
  command: string
}

/** What repairs a group: what to do, and the command of the CLI where one does it. */
export function findFix(cause: Cause, group: Pick<FrameGroup, 'release' | 'dist' | 'file'>, productId: number): Repair {
  if (!withCommand.has(cause)) return { text: sayFix(cause), command: '' }
  return { text: `${sayFix(cause)} ${explainFolder(group.file)}`, command: uploadCommand(group, productId) }
}

/** What to do about a cause, without the command. */
export function sayFix(cause: Cause): string {
  return texts[cause]
}

/** What DIR is in the command for a file. */
export function explainFolder(file: string): string {
  const place = prefix(file) === '~/' ? 'at the root of the host' : 'under the prefix'
  return `DIR is the folder of the build that is served ${place}.`
}

/**
 * Whether members made each part of a group's command known: its release is known, and its dist and folder are those of
 * an upload. Otherwise the command holds text of events.
 */
export function isVouchedFor({
  release,
  dist,
  file,
  nearest,
}: Pick<GroupBody, 'release' | 'dist' | 'file' | 'nearest'>): boolean {
  const folders = ['~/', ...(nearest === null ? [] : [prefix(nearest.path)])]
  return release.known && (dist === '' || dist === nearest?.dist) && folders.includes(prefix(file))
}

function uploadCommand(
  { release, dist, file }: Pick<FrameGroup, 'release' | 'dist' | 'file'>,
  productId: number,
): string {
  const folder = prefix(file)
  return [
    'tracegate sourcemaps upload DIR',
    `--release ${argument(release) ?? 'VERSION'}`,
    ...(dist === '' ? [] : [`--dist ${argument(dist) ?? 'DIST'}`]),
    ...(folder === '~/' ? [] : [`--url-prefix ${argument(folder) ?? 'PREFIX'}`]),
    `--product ${String(productId)}`,
  ].join(' ')
}

/** The folder of a file, from the root of its host. */
function prefix(file: string): string {
  const fromRoot = file.replace(/^(?:~?\/+|\.\/)/, '')
  return `~/${fromRoot.slice(0, fromRoot.lastIndexOf('/') + 1)}`
}

/** Text of an event as an argument of a shell; undefined for any that could be more than one. */
function argument(text: string): string | undefined {
  return /^[\w.@+~/:][\w.@+~/:=,-]{0,249}$/.test(text) ? `'${text}'` : undefined
}
