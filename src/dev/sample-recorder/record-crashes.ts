import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findEvent, parseEnvelope } from '../../service/sample/envelope.ts'
import { type BrowserScenario, browserScenarios } from './crashes/browser-scenarios.ts'
import { type Build, buildShop, listBundles } from './crashes/build.ts'
import { type Crash, crashPages, crashServers } from './crashes/crash.ts'
import { fold } from './crashes/fold.ts'
import { type NodeScenario, nodeScenarios } from './crashes/node-scenarios.ts'
import { ago } from './crashes/scenario.ts'
import type { RecordedLine, RecordedResolve } from '../../service/sample/recording.ts'

export interface RecordOptions {
  /** The folder for events.jsonl and the bundles; existing ones are replaced. */
  into: string
  server: readonly NodeScenario[]
  pages: readonly BrowserScenario[]
}

/** Builds the shop, runs every crash scenario and records what the SDKs send. Nothing leaves this machine. */
export async function record({ into, server, pages }: RecordOptions): Promise<RecordedLine[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sample-shop-')))
  try {
    const builds = await buildReleases(folder, [...server, ...pages])
    const findBuild = (release: string) => builds.get(release) ?? missing(release)
    const crashes = [...(await crashServers(server, findBuild)), ...(await crashPages(pages, findBuild))]
    const lines = [...foldCrashes(crashes), ...resolves(crashes)].toSorted(
      (left, right) => left.offset_ms - right.offset_ms,
    )
    await write(into, lines, [...builds.values()])
    return lines
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The newest release has debug ids; the older ones find their maps by release and path. */
async function buildReleases(folder: string, scenarios: readonly (NodeScenario | BrowserScenario)[]) {
  const names = new Set(scenarios.flatMap(({ runs }) => runs.map(({ release }) => release)))
  const builds = new Map<string, Build>()
  for (const name of names) builds.set(name, await buildShop(folder, name, { debugIds: name === 'shop@1.4.1' }))
  return builds
}

function missing(release: string): never {
  throw new Error(`${release} was not built`)
}

function foldCrashes(crashes: readonly Crash[]): RecordedLine[] {
  const byScenario = Map.groupBy(crashes, (crash) => crash.scenario)
  return [...byScenario].flatMap(([scenario, same]) => {
    const requests = same.map(({ request }) => request)
    return scenario.fold ? [fold(requests)] : requests
  })
}

/** Release 1.4.0 brought guests their confirmation, so someone resolved the issue; 1.4.1 brings it back. */
function resolves(crashes: readonly Crash[]): RecordedResolve[] {
  const [first] = crashes.filter(({ scenario }) => scenario.name === 'guest at the checkout')
  const id = first && findEvent(parseEnvelope(first.request.body))?.['event_id']
  return typeof id === 'string' ? [{ offset_ms: -ago('6d 21h'), resolve: id }] : []
}

async function write(into: string, lines: readonly RecordedLine[], builds: readonly Build[]): Promise<void> {
  await rm(join(into, 'bundles'), { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  await writeFile(join(into, 'events.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  for (const build of builds) {
    for (const file of await listBundles(build)) {
      const target = join(into, 'bundles', build.release, relative(join(build.workspace, 'dist'), file))
      await mkdir(dirname(target), { recursive: true })
      await cp(file, target)
      await cp(`${file}.map`, `${target}.map`)
    }
  }
}

if (import.meta.main) {
  const into = fileURLToPath(new URL('../../service/sample/recordings', import.meta.url))
  const lines = await record({ into, server: nodeScenarios, pages: browserScenarios })
  console.info(`${lines.length} lines in ${relative('.', into)}`)
}
