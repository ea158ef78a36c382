import type { FoundFile } from './read-file.ts'

type Linked = FoundFile & Required<Pick<FoundFile, 'artifact'>>

/** Gives a minified file without a debug id the id of the map that it names, and vice versa (contract §11). */
export function linkDebugIds(found: readonly FoundFile[]): void {
  const usable = found.filter((file): file is Linked => file.artifact !== undefined)
  const maps = usable.filter(({ artifact }) => artifact.kind === 'map')
  const byPath = new Map(maps.map((map) => [map.artifact.path, map]))
  const byMinified = new Map(maps.map((map) => [map.artifact.counterpart, map]))
  for (const minified of usable.filter(({ artifact }) => artifact.kind === 'minified')) {
    const { path, counterpart } = minified.artifact
    const map = counterpart === '' ? (byPath.get(`${path}.map`) ?? byMinified.get(path)) : byPath.get(counterpart)
    if (map !== undefined) share(minified, map)
  }
}

function share(minified: Linked, map: Linked): void {
  const [own, other] = [minified.artifact.debugId, map.artifact.debugId]
  if (own !== '' && other !== '') {
    if (own !== other)
      minified.report.warnings.push('Its debug id is not that of its map: one of them is of another build.')
    return
  }
  for (const { report, artifact } of [minified, map]) report.debug_id = artifact.debugId = own || other
}
