import { ConfigError, type Config } from './config.ts'
import type { Command } from './config-flags.ts'
import { isLoopback } from './lib/network/loopback.ts'

/** Commands that never use the operator's token: each caller or person brings their own. */
const typesToken: readonly Command[] = ['serve', 'confirm', 'approve', 'review']

/** Commands that say themselves what is missing: an agent's server to the agent, doctor among its findings. */
const reportsProblem: readonly Command[] = ['stdio', 'doctor']

/** Commands on the data of the embedded service. */
const local: readonly Command[] = ['admin', 'backup', 'restore', 'move']

/** Refuses settings that do not fit together, or not the command. Throws `ConfigError`. */
export function checkTogether(config: Config, hostsGiven: boolean): void {
  const { command, baseUrl } = config
  if (command === 'help' || command === 'version' || command === 'install') return
  if (local.includes(command) && baseUrl !== undefined) {
    throw new ConfigError(
      `${command} works on the data directory of this machine and never over the network: unset TRACEGATE_BASE_URL, or run it where the service runs`,
    )
  }
  if (command === 'approve' && config.operands.length > 1) {
    throw new ConfigError('approve takes one risk: its id, or the key of something that it covers')
  }
  if (command === 'init') checkInit(config)
  if (command === 'sourcemaps') checkSourceMaps(config)
  if (command === 'report') checkReport(config)
  if (command === 'confirm') checkConfirm(config)
  if ((command === 'backup' || command === 'restore') && config.operands.length !== 1) {
    throw new ConfigError(`${command} takes one file: tracegate ${command} tracegate-backup.zip`)
  }
  const problem = reportsProblem.includes(command) ? undefined : credentialsProblem(config)
  if (problem !== undefined) throw new ConfigError(problem)
  if (command === 'serve' && !isLoopback(config.host) && !hostsGiven) {
    throw new ConfigError(
      `--host ${config.host} accepts connections from other machines: set TRACEGATE_ALLOWED_HOSTS to the host names they use, such as quality.example`,
    )
  }
  if (config.sample && baseUrl !== undefined) {
    throw new ConfigError('--sample fills the embedded service; leave TRACEGATE_BASE_URL unset to use it')
  }
}

/** What is wrong when one of address and token is set without the other; undefined when nothing is. */
export function credentialsProblem({ command, apiToken, baseUrl, url }: Config): string | undefined {
  const rest = 'set both to use a deployment, or neither to use the embedded service'
  if (apiToken !== undefined && baseUrl === undefined && url === undefined) {
    return `TRACEGATE_API_TOKEN is set but TRACEGATE_BASE_URL is not: ${rest}`
  }
  // Over HTTP each caller brings its own token, and who decides types theirs; the operator's is never used (mcp §8).
  if (baseUrl !== undefined && apiToken === undefined && !typesToken.includes(command) && url === undefined) {
    return `TRACEGATE_BASE_URL is set but TRACEGATE_API_TOKEN is not: ${rest}`
  }
  return undefined
}

function checkInit({ operands, readOnly, dryRun }: Config): void {
  if (operands.length > 1) throw new ConfigError('init takes one folder: that of the repository')
  if (readOnly && !dryRun) throw new ConfigError('TRACEGATE_READ_ONLY forbids init: unset it, or use --dry-run')
}

function checkSourceMaps({ operands: [action, folder, ...rest], release, readOnly }: Config): void {
  if (action !== 'upload')
    throw new ConfigError('sourcemaps has one action: tracegate sourcemaps upload DIR --release V')
  if (folder === undefined) throw new ConfigError('sourcemaps upload: name the folder with the build output')
  if (rest.length > 0) {
    throw new ConfigError(`sourcemaps upload accepts one folder; got "${rest.join(' ')}" too: name their parent folder`)
  }
  if (release === undefined) throw new ConfigError('--release: name the version of the files')
  if (readOnly) throw new ConfigError('TRACEGATE_READ_ONLY forbids sourcemaps upload: unset it for this command')
}

function checkReport({ operands, ciUrl, readOnly }: Config): void {
  if (operands.length === 0) throw new ConfigError('report needs a file: tracegate report reports/junit.xml')
  if (ciUrl !== undefined && !/^https?:$/.test(URL.parse(ciUrl)?.protocol ?? '')) {
    throw new ConfigError('--url: use the full URL of the run, such as https://ci.example/runs/7')
  }
  if (readOnly) throw new ConfigError('TRACEGATE_READ_ONLY forbids report: unset it for this command')
}

function checkConfirm({ operands, readOnly }: Config): void {
  if (operands.length !== 1) throw new ConfigError('confirm takes one code: the one that the agent showed you')
  if (readOnly) throw new ConfigError('TRACEGATE_READ_ONLY forbids confirm: unset it for this command')
}
