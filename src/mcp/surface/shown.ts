import type { SurfaceOptions, Tool } from '../define/define.ts'

/** Whether the options show a tool. */
export function isShown(
  { toolset, effect, local }: Pick<Tool, 'toolset' | 'effect' | 'local'>,
  options: SurfaceOptions,
): boolean {
  return (
    (options.toolsets.includes('all') || options.toolsets.includes(toolset)) &&
    (!options.readOnly || effect === 'read') &&
    (local !== true || options.local === true)
  )
}
