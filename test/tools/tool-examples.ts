type Arguments = Readonly<Record<string, unknown>>

/** Appears around every hostile text of the injection tests, so that the text is found wherever it appears. */
export const CANARY = 'kanari'

/** In `hostileCalls`, the id of the link proposal on the branch pricing. */
export const PROPOSAL = '{proposal}'

/** In `hostileCalls`, the id of the run of the agent config scan. */
export const RUN = '{run}'

/** What the checks over all tools need to know about one tool: the `examples` in `<tool>.examples.ts`, next to its test. */
export interface ToolExamples {
  /** What users and agents say when they need this tool: at least ten, for the retrieval check. */
  phrasings: readonly string[]
  /**
   * Calls on a product whose events and failed tests are hostile: of a tool that reads, several with all that it can
   * include; of one with a preview, the call that is previewed. The product has APP-1 to APP-4, REQ-1, TC-1, the
   * environment staging, the quality branch pricing, with a requirement and a link proposal, and the agent config scan.
   */
  hostileCalls?: readonly Arguments[]
  /** Exactly one of these parameters is required, which a schema cannot express; the checks pass the first. */
  oneOf?: readonly string[]
  /** Parameters that contradict others, so that no call has everything. */
  alone?: readonly string[]
  /** What else a call needs that passes the parameter. */
  needs?: Readonly<Record<string, Arguments>>
  /** Parameters that may name a version or an environment that does not exist yet, and so are not ids. */
  newNames?: readonly string[]
  /** Valid values of parameters whose text has a format, or where the usual value needs a person. */
  texts?: Readonly<Record<string, string>>
  /** Arguments that a deployment other than our service needs. */
  elsewhere?: Arguments
}
