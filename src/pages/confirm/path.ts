/** Path and query of the page of a code. */
export function confirmPath(code: string): string {
  return `/confirm?t=${encodeURIComponent(code)}`
}
