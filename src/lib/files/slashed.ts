/** The path with `/` separators. */
export function slashed(path: string): string {
  return path.trim().replaceAll('\\', '/')
}
