import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Document, parse, Scalar } from 'yaml'

const root = resolve(import.meta.dirname, '../..')
const action = join(root, '.github/actions/tracegate')
const template = join(root, 'templates/tracegate.gitlab-ci.yml')

interface Action {
  inputs: Record<string, { description: string; default?: string }>
  runs: { steps: [{ env: Record<string, string> }] }
}

/**
 * The template for GitLab, written from the action for GitHub: the same inputs, variables and script. It is one file, because a
 * template that is included from another project cannot bring a second one.
 */
export function gitlabTemplate(): string {
  // A file of ours, in this form.
  const { inputs, runs } = parse(readFileSync(join(action, 'action.yml'), 'utf8')) as Action
  const ofSecret = 'token'
  const named = Object.entries(inputs).filter(([name]) => name !== ofSecret)
  const head = {
    spec: {
      inputs: {
        stage: { description: 'The stage of the job, after that of the tests.', default: 'test' },
        ...Object.fromEntries(
          named.map(([name, { description, default: value }]) => [name, asInput(description, value)]),
        ),
      },
    },
  }
  const variables = Object.entries(runs.steps[0].env).flatMap(([variable, expression]) => {
    const name = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1] ?? ''
    return name === ofSecret ? [] : [[variable, `$[[ inputs.${name} ]]`]]
  })
  const script = new Scalar(readFileSync(join(action, 'run.sh'), 'utf8'))
  script.type = Scalar.BLOCK_LITERAL
  const job = {
    tracegate: {
      stage: '$[[ inputs.stage ]]',
      image: 'node:24-slim',
      // Reports count whether tests pass or not.
      when: 'always',
      variables: Object.fromEntries(variables),
      script: [script],
    },
  }
  const comment =
    '# Sends test reports and source maps to Tracegate, and ends the job as the quality gate decides. Set TRACEGATE_API_TOKEN as a\n' +
    '# masked variable of the project. Written by npm run ci-template from .github/actions/tracegate.\n'
  return `${comment}${yaml(head)}---\n${yaml(job)}`
}

function asInput(description: string, value: string | undefined) {
  return value === undefined ? { description } : { description, default: value }
}

function yaml(value: unknown): string {
  return new Document(value).toString({ lineWidth: 0, singleQuote: true })
}

if (import.meta.main) writeFileSync(template, gitlabTemplate())
