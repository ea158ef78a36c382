import type { Suite } from '../../harness/suite.ts'
import { overHttp, overStdio } from './compare.ts'
import { onTheSample } from './sample.ts'

/** Calls of tools, against the SDK's minimal server with the same work and against node:http alone. */
export const calls: Suite = {
  about:
    'A tool call over HTTP and over stdio, compared with a server of the same SDK whose one tool does the same; then tools on the sample, many callers at once, and memory.',
  async run() {
    return [...(await overHttp()), await overStdio(), ...(await onTheSample())]
  },
}
