import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

const root = resolve(import.meta.dirname, '../../..')
const actionFolder = join(root, '.github/actions/tracegate')

export type Inputs = Readonly<Record<string, string>>

export interface Job {
  code: number
  /** What the job's log shows. */
  log: string
  /** Outputs of the action, and the summary of the job, where the runner has them. */
  outputs: Readonly<Record<string, string>>
  summary: string
}

export interface Work {
  /** The folder in which the job runs. */
  folder: string
  inputs: Inputs
  /** Variables that the CI system sets. */
  variables?: Readonly<Record<string, string>>
}

interface Described {
  inputs: Record<string, { default?: string; required?: boolean }>
}

/** The values of all inputs, as both systems fill them in. */
function filled({ inputs }: Described, given: Inputs): Record<string, string> {
  const foreign = Object.keys(given).filter((name) => !(name in inputs))
  if (foreign.length > 0) throw new Error(`no such input: ${foreign.join(', ')}`)
  return Object.fromEntries(Object.keys(inputs).map((name) => [name, given[name] ?? inputs[name]?.default ?? '']))
}

export interface Action extends Described {
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: { id: string; shell: string; run: string; env: Record<string, string> }[] }
}

// Files of ours, whose forms the tests compare.
export const action = parse(readFileSync(join(actionFolder, 'action.yml'), 'utf8')) as Action

/** Plays GitHub's runner for the composite action: of its expressions those that name an input or an output. */
export async function runOnGitHub({ folder, inputs, variables = {} }: Work): Promise<Job> {
  const values = filled(action, inputs)
  const outputs: Record<string, string> = {}
  const evaluate = (text: string) =>
    text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
      const [, input, step, output] = /^ (?:inputs\.([\w-]+)|steps\.(\w+)\.outputs\.([\w-]+)) $/.exec(expression) ?? []
      if (input !== undefined) return values[input] ?? ''
      if (step === undefined || output === undefined) throw new Error(`unknown expression: ${expression}`)
      return outputs[`${step}.${output}`] ?? ''
    })
  const [outputFile, summaryFile] = [join(folder, 'output.txt'), join(folder, 'summary.md')]
  writeFileSync(outputFile, '')
  writeFileSync(summaryFile, '')
  const github = {
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: actionFolder,
    GITHUB_OUTPUT: outputFile,
    GITHUB_STEP_SUMMARY: summaryFile,
  }
  let [code, log] = [0, '']
  for (const { id, shell, run, env } of action.runs.steps) {
    // The text of a step is pasted into a script: whatever an expression gives there would be run.
    if (run.includes('${{')) throw new Error(`the script of ${id} has an expression`)
    const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(value)]))
    const ran = await runScript(shell, run, { folder, variables: { ...github, ...variables, ...given } })
    log += ran.log
    for (const line of readFileSync(outputFile, 'utf8').split('\n')) {
      const [, name = '', value = ''] = /^([\w-]+)=(.*)$/.exec(line) ?? []
      outputs[`${id}.${name}`] = value
    }
    code = ran.code
    if (code !== 0) break
  }
  return {
    code,
    log,
    outputs: Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, evaluate(value)])),
    summary: readFileSync(summaryFile, 'utf8'),
  }
}

interface Template {
  spec: Described
}
interface Jobs {
  tracegate: { variables: Record<string, string>; script: string[] }
}

const template = readFileSync(join(root, 'templates/tracegate.gitlab-ci.yml'), 'utf8')
const [head, jobs] = parseAllDocuments(template).map((document): unknown => document.toJS())
export const gitlabInputs = (head as Template).spec.inputs

/** Plays GitLab's runner: inputs are filled in, variables in their values expanded, and the script is run by a shell. */
export async function runOnGitLab({ folder, inputs, variables = {} }: Work): Promise<Job> {
  const { token = '', ...named } = inputs
  const values = filled((head as Template).spec, named)
  const set: Record<string, string> = { GITLAB_CI: 'true', TRACEGATE_API_TOKEN: token, ...variables }
  const expanded = (text: string) => text.replaceAll(/\$(\w+)/g, (_, name: string) => set[name] ?? '')
  const { tracegate } = jobs as Jobs
  for (const [name, value] of Object.entries(tracegate.variables)) {
    set[name] = expanded(value.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, input: string) => values[input] ?? ''))
  }
  const ran = await runScript('sh', tracegate.script.join('\n'), { folder, variables: set })
  return { ...ran, outputs: {}, summary: '' }
}

function runScript(
  shell: string,
  script: string,
  { folder, variables }: { folder: string; variables: Record<string, string> },
): Promise<Pick<Job, 'code' | 'log'>> {
  const file = join(folder, 'script.sh')
  writeFileSync(file, script)
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...variables }
  const child = spawn(shell, ['-e', file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => done({ code: code ?? -1, log }))
  })
}
