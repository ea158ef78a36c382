import { coverage } from './coverage.ts'
import { faults } from './faults.ts'
import { functionNames } from './function-names.ts'
import { othersWait } from './others-wait.ts'
import { sourceMaps } from './source-maps.ts'
import { worstInput } from './worst-input.ts'

/** `npm run bench:studies [name …]`: comparisons that are not suites of `npm run bench`; read the ratios, not the absolutes. */
const benchmarks: Record<string, () => Promise<void>> = {
  coverage,
  faults,
  'function-names': functionNames,
  'others-wait': othersWait,
  'source-maps': sourceMaps,
  'worst-input': worstInput,
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${Object.keys(benchmarks).join(', ')}`)
  process.exit(1)
}
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n${name}`)
  await benchmark()
}
