import { isObject } from '../../../lib/objects.ts'

type Shape = readonly [is: (json: Record<string, unknown>) => boolean, what: string]

/** JSON of reporters whose runner can write a format that is read, by the members that only it has. */
const shapes: readonly Shape[] = [
  [
    ({ examples, summary_line: line }) => Array.isArray(examples) && typeof line === 'string',
    'it is JSON of RSpec; add the gem rspec_junit_formatter and run rspec --format RspecJunitFormatter --out report.xml',
  ],
  [
    ({ stats, tests, passes }) => isObject(stats) && Array.isArray(tests) && Array.isArray(passes),
    'it is JSON of Mocha; run mocha --reporter xunit --reporter-option output=report.xml',
  ],
  [
    ({ stats, results }) => isObject(stats) && Array.isArray(results),
    'it is JSON of Mochawesome; run mocha --reporter xunit --reporter-option output=report.xml',
  ],
  [
    ({ protocolVersion, runnerVersion }) => protocolVersion !== undefined && runnerVersion !== undefined,
    'it is the machine output of Dart or Flutter; convert it with tojunit of the package junitreport, and send that',
  ],
  [
    ({ exitcode, tests, collectors }) => exitcode !== undefined && (tests !== undefined || collectors !== undefined),
    'it is JSON of pytest; run pytest --junitxml=report.xml',
  ],
  [
    ({ $report_type: type }) => typeof type === 'string',
    'it is the report log of pytest; run pytest --junitxml=report.xml',
  ],
  [
    ({ type, event }) => (type === 'suite' || type === 'test') && typeof event === 'string',
    'it is JSON of cargo test; run cargo nextest with a junit path in its profile, and send that file',
  ],
]

/** What a JSON value that is no supported report is, and how to get one, in our own words; undefined when unknown. */
export function describeJson(json: unknown): string | undefined {
  return isObject(json) ? shapes.find(([is]) => is(json))?.[1] : undefined
}
