/** The stack of a thrown value, for the log only. */
export function stackText(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : typeof thrown
}
