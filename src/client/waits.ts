/** Hears what a tool call waits for. */
export interface Waits {
  /** A request is under way, named by method and path; the function that is returned says that it has ended. */
  began(request: string): () => void
  /** The client pauses before it repeats the request, which has failed with a status of this kind. */
  pauses(request: string, pause: { ms: number; status: number; asked: boolean }): void
}
