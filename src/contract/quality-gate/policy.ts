import * as z from 'zod'
import { accept, Key, prefixed } from '../base/common.ts'

export const ConditionSeverity = prefixed('CONDITION_SEVERITY', ['BLOCKING', 'ADVISORY'])
export const Comparator = prefixed('COMPARATOR', ['GTE', 'LTE'])
export const Metric = z.enum([
  'critical_coverage',
  'overall_coverage',
  'failing_tests',
  'new_issues',
  'regressed_issues',
  'suspect_links',
  'stale_results',
  'flaky_ratio',
  'quarantined_tests',
  'unreviewed_exclusions',
])

export const VerdictStatus = prefixed('VERDICT_STATUS', ['PASS', 'PASS_WITH_RISK', 'WARN', 'FAIL', 'INCONCLUSIVE'])

export const Condition = z.object({
  id: Key,
  metric: Metric,
  comparator: Comparator,
  threshold: z.number(),
  severity: ConditionSeverity,
  min_sample: z.int(),
  enabled: z.boolean(),
})

export const GatePolicy = z.object({
  version: z.int(),
  result_max_age_hours: z.int(),
  include_draft_requirements: z.boolean(),
  require_ci_results: z.boolean().default(false).describe('Only results that a CI token sent count.'),
  conditions: z.array(Condition),
})

/** Metrics that are shares of their sample, from 0 to 1. The others are counts, and their threshold is the highest count allowed (contract §7). */
const shareComparators: Partial<Record<z.output<typeof Metric>, z.output<typeof Comparator>>> = {
  critical_coverage: 'COMPARATOR_GTE',
  overall_coverage: 'COMPARATOR_GTE',
  flaky_ratio: 'COMPARATOR_LTE',
}

function comparatorFor(metric: z.output<typeof Metric>): z.output<typeof Comparator> {
  return shareComparators[metric] ?? 'COMPARATOR_LTE'
}

type Rule = Pick<z.output<typeof Condition>, 'metric' | 'comparator' | 'threshold' | 'enabled'>

/** Why a condition is refused; undefined for one that means something and, unless it is disabled, can fail. */
function findMistake({ metric, comparator, threshold, enabled }: Rule): string | undefined {
  const wanted = comparatorFor(metric)
  const isLeast = wanted === 'COMPARATOR_GTE'
  if (comparator !== wanted) return `${metric} takes ${isLeast ? 'GTE, at least' : 'LTE, at most'} the threshold`
  if (shareComparators[metric] === undefined) {
    const isCount = Number.isSafeInteger(threshold) && threshold >= 0
    return isCount ? undefined : `${metric} is a number of items: the threshold is a whole number, 0 or more`
  }
  if (threshold < 0 || threshold > 1) return `${metric} is a share: the threshold is between 0 and 1, 0.8 for 80 %`
  const alwaysHolds = enabled && threshold === (isLeast ? 0 : 1)
  return alwaysHolds ? 'it would always hold: choose another threshold, or set enabled to false' : undefined
}

const ConditionInput = z
  .object({
    id: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, 'lower-case words joined by underscores'),
    metric: Metric,
    comparator: accept(Comparator),
    threshold: z.number(),
    severity: accept(ConditionSeverity),
    min_sample: z.int().min(0).default(0),
    enabled: z.boolean().default(true),
  })
  .superRefine(({ id, ...rule }, context) => {
    const mistake = findMistake(rule)
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: `condition ${id}: ${mistake}` })
  })

/** A policy as written in requests: absent members have their defaults, `conditions` replaces the list. */
export const GatePolicyInput = z.object({
  result_max_age_hours: z.int().min(0).max(87_600).optional().describe('Older results do not count; 0 = no limit.'),
  include_draft_requirements: z.boolean().optional(),
  require_ci_results: z.boolean().optional(),
  conditions: z
    .array(ConditionInput)
    .max(50)
    .superRefine((conditions, context) => {
      const twice = conditions.find(({ id }, index) => conditions.findIndex((other) => other.id === id) < index)
      if (twice === undefined) return
      context.addIssue({ code: 'custom', message: `condition ${twice.id}: there are several with this id` })
    })
    .optional(),
})

function condition(
  metric: z.output<typeof Metric>,
  threshold: number,
  severity: 'BLOCKING' | 'ADVISORY',
  minSample = 0,
) {
  return {
    id: metric,
    metric,
    comparator: comparatorFor(metric),
    threshold,
    severity: `CONDITION_SEVERITY_${severity}` as const,
    min_sample: minSample,
    enabled: true,
  }
}

/** The default policy of contract §7, overridable per product. */
export const defaultGatePolicy: z.output<typeof GatePolicy> = {
  version: 1,
  result_max_age_hours: 336,
  include_draft_requirements: false,
  require_ci_results: false,
  conditions: [
    condition('critical_coverage', 1, 'BLOCKING', 1),
    condition('overall_coverage', 0.8, 'ADVISORY', 5),
    condition('failing_tests', 0, 'BLOCKING'),
    condition('new_issues', 0, 'BLOCKING'),
    condition('regressed_issues', 0, 'BLOCKING'),
    condition('suspect_links', 0, 'ADVISORY'),
    condition('stale_results', 0, 'ADVISORY'),
    condition('flaky_ratio', 0.05, 'ADVISORY', 20),
    condition('quarantined_tests', 0, 'ADVISORY'),
    condition('unreviewed_exclusions', 0, 'BLOCKING'),
  ],
}
