import type * as z from 'zod'
import type { SetupCheck } from '../../../src/contract/products.ts'

export type CheckId = z.output<typeof SetupCheck>['id']

interface Remedy {
  tool: string
  /** Its arguments in words. */
  args: string
  toolset: string
}

/** The tool that does what a check misses. */
const tools: Readonly<Partial<Record<CheckId, Remedy>>> = {
  components_mapped: { tool: 'create_component', args: ' with a name and globs', toolset: 'setup' },
  requirements_present: { tool: 'save_requirement', args: ' with a title', toolset: 'requirements' },
  acceptance_criteria_present: { tool: 'save_requirement', args: ' with criteria', toolset: 'requirements' },
  tests_ingested: { tool: 'ingest_test_report', args: '', toolset: 'default' },
  tests_linked: { tool: 'record_tests', args: ' with requirement_ids', toolset: 'default' },
  environment_present: { tool: 'create_environment', args: ' with a name', toolset: 'setup' },
  release_present: { tool: 'record_release', args: ' with version, environment and commit', toolset: 'releases' },
  event_received: { tool: 'send_test_event', args: ', then an SDK with the dsn', toolset: 'ingest_dev' },
  source_maps_ready: { tool: 'upload_source_map', args: ' with the release', toolset: 'sourcemaps' },
  gate_computed: { tool: 'compute_quality_gate', args: '', toolset: 'default' },
}

/** What to do for a check that is open: the caller's tool for it, else the toolset that has it, or what the service says. */
export function remedy(
  { id, remediation }: { id?: string | undefined; remediation?: string | undefined },
  offers: (tool: string) => boolean,
): string | undefined {
  const found = tools[id as CheckId]
  if (found === undefined) return remediation
  if (offers(found.tool)) return found.tool + found.args
  const said = remediation === undefined || remediation === '' ? '' : `, or ${remediation}`
  return `ask the user to add the toolset ${found.toolset}${said}`
}
