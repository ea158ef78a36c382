import { titles } from './values.ts'
import type { ReportCase } from '../model/report.ts'

export interface CtrfTest {
  name: string
  suite: string | readonly string[]
  file_path: string
  line: number
  project: string
  framework: string
}

type CtrfLocation = Pick<ReportCase, 'name' | 'suite_path' | 'file_path' | 'line' | 'project'>

/**
 * The location of a CTRF test, as the tool's own report would give it. Observed: jest-ctrf puts the file first in
 * `suite` and the suites before the name; playwright-ctrf puts project and file first; the reporter for Vitest 3 and
 * later writes the whole path, joined by ` > `, as name and as suite, and the line of the failure; pytest's node ids
 * start with file and class. Mocha's and Cypress's reporters write the full title without suites, which cannot be split
 * again.
 */
export function locateCtrfTest({ name, suite, file_path, line, project, framework }: CtrfTest): CtrfLocation {
  if (suite === name && framework === 'vitest') {
    const path = titles(name.split(' > '))
    return { name: path.at(-1) ?? name, suite_path: path.slice(0, -1), file_path, line: 0, project }
  }
  const suites = titles(typeof suite === 'string' ? suite.split(' > ') : suite)
  const file = suites.findIndex((one) => isFile(one, file_path))
  const isProject = file === 1 && framework === 'playwright'
  const suite_path = file === 0 || isProject ? suites.slice(file + 1) : suites
  return {
    name: ownName(name, { suite_path, file_path, framework }),
    suite_path,
    file_path,
    line,
    project: isProject ? suites[0]! : project,
  }
}

function isFile(suite: string, path: string): boolean {
  return suite.includes('.') && (path === suite || path.endsWith(`/${suite}`))
}

/** The name without the prefix that its reporter adds; the whole name when nothing would be left. */
function ownName(
  name: string,
  { suite_path, file_path, framework }: Pick<CtrfLocation, 'suite_path' | 'file_path'> & { framework: string },
): string {
  if (framework === 'jest') return without(name, suite_path.join(' '), ' ')
  if (framework === 'pytest') return without(without(name, file_path, '::'), suite_path.join('::'), '::')
  return name
}

function without(name: string, before: string, separator: string): string {
  const prefix = `${before}${separator}`
  return before !== '' && name.startsWith(prefix) ? name.slice(prefix.length).trim() || name : name
}
