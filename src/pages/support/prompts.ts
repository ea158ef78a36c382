/** Texts that a person copies to an agent. Undefined where this server does not offer the tools that they need. */
export interface Prompts {
  /** The prompt fix_error_issue for an issue, by key or id. */
  fixIssue(key: string): string | undefined
  /** The prompt close_coverage_gaps for a product, by id. */
  closeGaps(product: string): string | undefined
}
