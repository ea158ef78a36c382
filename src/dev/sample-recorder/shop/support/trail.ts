/** Leaves a note of what the shop just did; error reports carry the last ones. */
export type Trail = (category: string, message: string, data?: Record<string, unknown>) => void
