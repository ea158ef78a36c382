import { delimiter } from 'node:path'
import type { Config } from '../config.ts'
import type { Io } from './io.ts'

const text = `tracegate - from the crash to the shipped fix, for coding agents

  tracegate [stdio]                      MCP over stdin and stdout
  tracegate serve                        MCP, REST and error ingest on one port
      --host 127.0.0.1 --port 4319       where to listen; port 0 takes a free one
      --sample                           fill an unused data directory with the sample shop
  tracegate call TOOL [JSON]             one tool call, printed as an agent gets it
      --json                             the structured form
      --url http://127.0.0.1:4319        over HTTP, to a server that runs already
  tracegate sourcemaps upload DIR        the source maps of a build folder, so that frames show original code
      --release V [--dist D]             the version they are of; required
      --url-prefix '~/'                  what stands before their paths in stack frames
  tracegate report FILE...               the reports of a test run (JUnit XML, CTRF, Vitest, Jest, Playwright, TAP),
                                         or folders of them; exits with 0 when sent, 1 when refused or unreachable
                                         or when no file can be read, 2 for a wrong call; failed tests change nothing
      --release V --environment E        the version that was tested, and where
      --branch B --commit SHA --url URL  what git and CI say of the run; known on GitHub Actions and GitLab CI
      --run-key K                        reports with one key are one run: shards, or retries of the same tests
      --root DIR                         taken off the paths in the reports (default: the repository's folder)
      --no-requirement-tags              do not link tests to the requirements they name, as in [REQ-12]
  tracegate doctor                       check the configuration and say how to mend it
  tracegate help | version

Everywhere: --product NAME  --toolsets LIST  --read-only  --data DIR

Environment (flags win; an empty variable counts as unset):
  TRACEGATE_BASE_URL       a deployment's address without /v1; unset runs the embedded service
  TRACEGATE_API_TOKEN      your token of that deployment
  TRACEGATE_PRODUCT        pin one product, by id or exact name
  TRACEGATE_TOOLSETS       comma list of toolsets, or all (default: default)
  TRACEGATE_READ_ONLY      true: no tool that writes
  TRACEGATE_DATA_DIR       database, token, secret (default: the platform's data directory)
  TRACEGATE_DATABASE_URL   refused: this version stores in SQLite only
  TRACEGATE_ALLOWED_HOSTS  comma list of host names or origins that requests may name
  TRACEGATE_ROOTS          folders that files may be read from, joined by "${delimiter}" (default: the working directory)
  TRACEGATE_LOG_LEVEL      fatal, error, warn, info, debug or silent; the log goes to stderr
  TRACEGATE_SECRET         key of every signature, at least 32 characters (default: made at the first start)
`

/** `tracegate help`: the commands, flags and variables on stdout. */
export function run(_: Config, { stdout }: Io): number {
  stdout.write(text)
  return 0
}
