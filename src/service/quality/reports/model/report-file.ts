import type { ReportCase } from './report.ts'
import { syntheticNames } from './synthetic.ts'
import { slashed } from '../../../../lib/files/slashed.ts'

export const TEST_FILE = /^[^\s<>]+\.(?:[cm]?[jt]sx?|t|py|rb|sh|bats|pl)$/u

/**
 * The file of the cases of a report that names none, by the name of the report. node-tap and prove name a report after
 * its script: `test/cart.t.tap` is `test/cart.t`.
 */
export function fileOfReport(name: string): string {
  const path = slashed(name)
  const script = path.replace(/\.tap$/iu, '')
  return TEST_FILE.test(script) ? script : path
}

/**
 * The case with its report as its file where it has neither a file nor a suite: a bare name is that of any report
 * (contract §4.2). What failed outside of the cases concerns the whole report anyway.
 */
export function placedInReport(one: ReportCase, file: string): ReportCase {
  const isPlaced = one.file_path !== '' || one.suite_path.length > 0 || syntheticNames.includes(one.name)
  return isPlaced || file === '' ? one : { ...one, file_path: file, isFileOfReport: true }
}
