import { delimiter } from 'node:path'
import type { Config } from '../config.ts'
import { reportFormatList } from '../contract/test-ingest.ts'
import { clients } from './clients/list.ts'
import type { Io } from './support/io.ts'

const clientNames = clients.map(({ id }) => id).join(', ')

const text = `tracegate - from the crash to the shipped fix, for coding agents

  tracegate [stdio]                      MCP over stdin and stdout
  tracegate serve                        MCP, REST and error ingest on one port
      --host 127.0.0.1 --port 4319       where to listen; port 0 takes a free one; without the flag, the port that the DSNs of
                                         the data directory name
      --sample                           fill an unused data directory with the sample shop
  tracegate init [DIR]                   set up a product for a repository: its name, components, environments;
                                         prints the DSN and the lines to paste; a second run changes nothing
      --name N --key-prefix P            default: as the repository says
      --repository URL --dry-run         its web address; only show what would be done
      --port 4319                        the port of the server to come, which the DSNs name and the data directory keeps
  tracegate install CLIENT [DIR]         print what a client's configuration file needs, and the path of the file;
                                         ${clientNames}
      --write                            put it there; the rest of the file stays, a second run changes nothing
      --scope user|project               the user's file (default), or that of the project in DIR
      --url http://127.0.0.1:4319/mcp    a running server, instead of one that the client starts
  tracegate call TOOL [JSON]             one tool call; prints the result as an agent gets it
      --json                             print the structured form
      --url http://127.0.0.1:4319        over HTTP, to a running server
  tracegate sourcemaps upload DIR        upload the source maps of a build folder, so that frames show original code
      --release V [--dist D]             the version they belong to; required
      --url-prefix '~/'                  the prefix of their paths in stack frames
  tracegate report FILE...               send the reports of a test run, or folders of them: ${reportFormatList.replace(', or JSON', `,\n${' '.repeat(41)}or JSON`)};
                                         exits with 0 when sent, 1 when refused, unreachable or no file can be read,
                                         2 for invalid arguments; failed tests do not matter
      --release V --environment E        the version that was tested, and where
      --branch B --commit SHA --url URL  facts about the run; detected on GitHub Actions and GitLab CI
      --run-key K                        reports with the same key are one run: shards, or retries of the same tests
      --root DIR                         removed from paths in the reports (default: the repository's folder)
      --no-requirement-tags              do not link tests to the requirements they name, as in [REQ-12]
  tracegate gate                         compute the quality gate and print its verdict; exits with 0 when it passes, 1 when
                                         it fails, 2 when it is inconclusive, 3 when it could not be asked
      --release V --environment E        judge this release, in this environment
      --commit SHA --branch B            judge by the results of this commit or git branch; detected in CI
      --baseline VERDICT                 fail only for what is new since that verdict
      --allow inconclusive|warn-only     exit with 0 all the same
      --timeout 60                       seconds to wait for missing shards of a test run
      --format text|github|markdown|json|html|junit|sarif
      --output FILE                      write the format to a file and print the text
  tracegate approve [RISK|BLOCKER]       approve, reject or revoke an accepted risk, at a terminal with your own token typed in
      --release V --environment E        the scope of the risk (default: the whole product)
  tracegate review                       record that you have seen what agents took out of the gate, at a terminal with your own
      --release V --environment E        token typed in; the scope of the verdict (default: the whole product)
  tracegate admin ...                    products, people, tokens, keys and rules of the embedded service, in its data directory; never over
                                         the network
      product list | product name NAME   another name for a product, also for the one that the first start made
          [--key-prefix P] [--repository URL]
      user add NAME [--email E] | user list
      token add --user NAME              prints the token once, alone on stdout
          [--agent|--ci] [--scopes LIST] [--expires 30d] [--name N]
      token list | token revoke ID
      key add --server                   a DSN key for backends: only errors that come with one can block a release;
          [--name N]                     prints the DSN once, alone on stdout; without --server a public key
      key list | key revoke KEY
      policy show | policy set FILE      the gate policy of a product, as JSON
      settings [single_user_approval ENVIRONMENTS|all|none]
                                         where the person who accepts a risk may approve it (default: none)
  tracegate confirm CODE                 decide at the terminal what an agent prepared: shows it, asks for your own token
  tracegate backup FILE                  the database as of one moment and its source maps, in one zip, while servers run; without
                                         token and secret
  tracegate restore FILE                 a backup into an empty data directory, or into an empty PostgreSQL database
                                         (TRACEGATE_DATABASE_URL), whichever it was made from
  tracegate move --to postgres://...     copy the data directory's database into an empty PostgreSQL database; may be interrupted
                                         and started again
  tracegate doctor                       check settings, token, address, versions, clock, database and the files of clients that
                                         name tracegate; say how to fix each, and what takes room or what a deployment offers
  tracegate help | version

Settings, each as a variable or as a flag of the same name, --base-url for TRACEGATE_BASE_URL and --data for the data directory.
Flags take precedence; an empty setting, or one that still is a reference such as \${NAME}, counts as unset. Other users of a
machine can read flags: prefer the variable for the token, the secret and an address with a password.
  TRACEGATE_BASE_URL       address of a deployment without /v1; if unset, the embedded service runs
  TRACEGATE_API_TOKEN      your API token for that deployment
  TRACEGATE_PRODUCT        pin one product, by id or exact name
  TRACEGATE_TOOLSETS       comma-separated toolsets, or all (default: default)
  TRACEGATE_READ_ONLY      true: no tools that write
  TRACEGATE_CONFIRM        how a person confirms: ask (default), page (page and terminal only), handle (see the README)
  TRACEGATE_DATA_DIR       database, token, secret (default: the platform's data directory)
  TRACEGATE_DATABASE_URL   postgres://… of a PostgreSQL database; if unset, SQLite in the data directory
  TRACEGATE_DATABASE_LISTEN_URL
                           the server itself, if the other address leads to a pooler of transactions
  TRACEGATE_ALLOWED_HOSTS  comma-separated host names or origins that requests may use and pages call from
  TRACEGATE_ROOTS          folders that files may be read from, separated by "${delimiter}" (default: the working directory)
  TRACEGATE_NEW_ISSUES_PER_HOUR
                           issues that events may start in a product (default: 200; 0: no limit)
  TRACEGATE_METRICS_TOKEN  what a collector shows for /metrics, at least 16 characters (default: this machine alone may read them)
  TRACEGATE_LOG_LEVEL      fatal, error, warn, info, debug or silent; the log goes to stderr
  TRACEGATE_SECRET         key of every signature, at least 32 characters (default: created at the first start)
  HTTPS_PROXY, NO_PROXY    the proxy that a deployment is reached through, and the hosts that are reached without it; variables
                           alone; this machine is never reached through it
`

/** `tracegate help`: prints the commands, flags and variables. */
export function run(_: Config, { stdout }: Io): number {
  stdout.write(text)
  return 0
}
