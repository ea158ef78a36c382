import type { InputOf } from '../../../src/contract/index.ts'

/** Hands each position of a report its text. */
type Write = (position: string) => string

type Draft = InputOf<'ingestTests'>['draft']

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A failed case with a text in every member that the format has; its name names REQ-1. */
export const reports: Readonly<Record<string, (text: Write) => Draft>> = {
  'JUnit XML': (text) => {
    const at = (position: string) => xml(text(position))
    return {
      content: `<testsuites name="${at('run')}"><testsuite name="${at('suite')}" hostname="${at('host')}" package="${at('package')}">
        <properties><property name="${at('suite property')}" value="${at('suite value')}"/></properties>
        <testcase name="${at('name')} [REQ-1]" classname="${at('class')}" file="${at('file')}">
          <properties><property name="${at('property')}" value="${at('value')}"/><property name="tag" value="${at('tag')}"/></properties>
          <failure type="${at('type')}" message="${at('message')}">${at('trace')}</failure>
          <system-out>${at('out')}</system-out></testcase></testsuite></testsuites>`,
    }
  },
  CTRF: (text) => ({
    content: {
      results: {
        tool: { name: text('tool'), version: text('version') },
        summary: { tests: 1, passed: 0, failed: 1, pending: 0, skipped: 0, other: 0, start: 0, stop: 0 },
        environment: {
          appName: text('app'),
          branchName: text('branch'),
          buildName: text('build'),
          commit: text('sha'),
        },
        tests: [
          {
            name: `${text('name')} [REQ-1]`,
            status: 'failed',
            duration: 1,
            message: text('message'),
            trace: text('trace'),
            suite: text('suite'),
            filePath: text('file'),
            tags: [text('tag')],
            type: text('type'),
            browser: text('browser'),
            device: text('device'),
            extra: { [text('key')]: text('value') },
          },
        ],
      },
    },
  }),
  'Vitest JSON': (text) => ({ content: fileReport(text), format: 'REPORT_FORMAT_VITEST_JSON' }),
  'Jest JSON': (text) => ({ content: fileReport(text), format: 'REPORT_FORMAT_JEST_JSON' }),
  'Playwright JSON': (text) => ({
    content: {
      config: { rootDir: '/srv/shop', version: text('version'), projects: [{ name: text('project') }] },
      suites: [
        {
          title: text('file'),
          file: text('file'),
          specs: [],
          suites: [
            {
              title: text('suite'),
              file: text('file'),
              specs: [
                {
                  title: `${text('name')} [REQ-1]`,
                  ok: false,
                  tags: [text('tag')],
                  file: text('file'),
                  line: 3,
                  column: 1,
                  tests: [
                    {
                      projectName: text('project'),
                      expectedStatus: 'passed',
                      status: 'unexpected',
                      annotations: [{ type: text('annotation'), description: text('description') }],
                      results: [
                        {
                          status: 'failed',
                          duration: 1,
                          retry: 0,
                          error: { message: text('message'), stack: text('trace') },
                          errors: [{ message: text('message') }],
                          stdout: [{ text: text('out') }],
                          stderr: [],
                          startTime: '2026-11-21T11:00:00.000Z',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
      errors: [],
      stats: { startTime: '2026-11-21T11:00:00.000Z', duration: 1, expected: 0, unexpected: 1, flaky: 0, skipped: 0 },
    },
    format: 'REPORT_FORMAT_PLAYWRIGHT_JSON',
  }),
  TAP: (text) => ({
    content: [
      'TAP version 13',
      `# ${text('comment')}`,
      `not ok 1 - ${text('name')} [REQ-1]`,
      '  ---',
      `  message: ${JSON.stringify(text('message'))}`,
      `  location: ${JSON.stringify(`${text('file')}:3:1`)}`,
      `  stack: ${JSON.stringify(text('trace'))}`,
      '  ...',
      '1..1',
    ].join('\n'),
  }),
  TRX: (text) => {
    const at = (position: string) => xml(text(position))
    return {
      content: `<TestRun id="1" name="${at('run')}" runUser="${at('user')}" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
        <Results><UnitTestResult executionId="e" testId="t" testName="${at('name')} [REQ-1]" computerName="${at('host')}" outcome="Failed" duration="00:00:01">
          <Output><StdOut>${at('out')}</StdOut><ErrorInfo><Message>${at('message')}</Message><StackTrace>${at('trace')}</StackTrace></ErrorInfo></Output></UnitTestResult></Results>
        <TestDefinitions><UnitTest id="t" name="${at('name')} [REQ-1]" storage="${at('file')}"><Execution id="e"/>
          <TestMethod codeBase="${at('base')}" className="${at('class')}" name="${at('name')} [REQ-1]"/></UnitTest></TestDefinitions>
        <ResultSummary outcome="Failed"/></TestRun>`,
    }
  },
  'go test -json': (text) => {
    const event = (members: object) =>
      JSON.stringify({ Time: '2026-11-21T11:00:00Z', Package: text('package'), ...members })
    const test = `${text('name')} [REQ-1]`
    return {
      content: [
        event({ Action: 'run', Test: test }),
        event({ Action: 'output', Test: test, Output: `    ${text('file')}:3: ${text('message')}\n` }),
        event({ Action: 'fail', Test: test, Elapsed: 1 }),
        event({ Action: 'fail', Elapsed: 1 }),
      ].join('\n'),
    }
  },
  'plain cases': (text) => ({
    cases: [
      {
        file_path: text('file'),
        suite_path: [text('suite'), text('inner suite')],
        name: `${text('name')} [REQ-1]`,
        project: text('project').slice(0, 120),
        status: 'RESULT_STATUS_FAILED',
        message: text('message'),
        trace: text('trace'),
        tags: [text('tag')],
        requirement_keys: [text('reference')],
        external_id: text('id').slice(0, 200),
      },
    ],
  }),
}

function fileReport(text: Write) {
  return {
    success: false,
    numTotalTests: 1,
    testResults: [
      {
        name: text('file'),
        status: 'failed',
        message: text('file message'),
        startTime: 1_795_262_400_000,
        endTime: 1_795_262_400_001,
        assertionResults: [
          {
            ancestorTitles: [text('suite'), text('inner suite')],
            title: `${text('name')} [REQ-1]`,
            fullName: text('full name'),
            status: 'failed',
            duration: 1,
            failureMessages: [text('message')],
            tags: [text('tag')],
            meta: { [text('key')]: text('value') },
          },
        ],
      },
    ],
  }
}
