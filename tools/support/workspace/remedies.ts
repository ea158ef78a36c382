import type * as z from 'zod'
import type { SetupCheck } from '../../../src/contract/products.ts'

export type CheckId = z.output<typeof SetupCheck>['id']

/** The tool that does what a check misses, and its arguments in words. */
const tools: Readonly<Partial<Record<CheckId, readonly [tool: string, args: string]>>> = {
  components_mapped: ['create_component', ' with a name and globs'],
  requirements_present: ['save_requirement', ' with a title'],
  acceptance_criteria_present: ['save_requirement', ' with criteria'],
  tests_ingested: ['ingest_test_report', ''],
  tests_linked: ['record_tests', ' with requirement_ids'],
  environment_present: ['create_environment', ' with a name'],
  release_present: ['record_release', ' with version, environment and commit'],
  event_received: ['send_test_event', ', then an SDK with the dsn'],
  source_maps_ready: ['upload_source_map', ' with the release'],
  gate_computed: ['compute_quality_gate', ''],
}

/** What to call for a check that is open; undefined where the caller's list has no tool for it. */
export function remedy(check: string | undefined, offers: (tool: string) => boolean): string | undefined {
  const [tool, args] = tools[check as CheckId] ?? []
  return tool === undefined || !offers(tool) ? undefined : `${tool}${args ?? ''}`
}
