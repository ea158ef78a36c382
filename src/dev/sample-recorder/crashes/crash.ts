import type { Browser } from 'playwright-core'
import { findEvent, parseEnvelope } from '../../../service/sample/envelope.ts'
import type { JsonObject } from '../../../lib/objects.ts'
import type { RecordedRequest } from '../../../service/sample/recording.ts'
import { startBrowser, visit } from './browser.ts'
import type { BrowserScenario } from './browser-scenarios.ts'
import type { Build } from './build.ts'
import { Capture, type Captured } from './capture.ts'
import { addresses, machine, neutral, type Replacement } from './neutral.ts'
import type { NodeScenario } from './node-scenarios.ts'
import { Partners } from './partners.ts'
import { shopOrigin, type Scenario } from './scenario.ts'
import { ServerVisitor, ShopServer } from './server-visitor.ts'

/** One run of a scenario, and what the SDK sent. */
export interface Crash {
  scenario: Scenario
  request: RecordedRequest
}

/** The crashes of one release in one environment. */
interface Stage<Kind extends Scenario> {
  release: string
  environment: string
  crashes: { scenario: Kind; before: number; visitor: number }[]
}

/** Runs every crash scenario of the server, each release in each environment in its own process. */
export async function crashServers(
  scenarios: readonly NodeScenario[],
  findBuild: (release: string) => Build,
): Promise<Crash[]> {
  await using capture = await new Capture().listen()
  await using partners = await new Partners().listen()
  const crashes: Crash[] = []
  for (const stage of groupByStage(scenarios)) {
    crashes.push(...(await crashServer(stage, findBuild(stage.release), capture, partners)))
  }
  return crashes
}

async function crashServer(
  { environment, crashes }: Stage<NodeScenario>,
  build: Build,
  capture: Capture,
  partners: Partners,
): Promise<Crash[]> {
  const done: Crash[] = []
  const start = () => ShopServer.start({ build, environment, dsn: capture.dsn, partners: partners.origin })
  let server = await start()
  try {
    for (const { scenario, before, visitor } of crashes) {
      if (!server.running) server = await start()
      partners.mood = scenario.partners ?? {}
      await scenario.act(new ServerVisitor({ ...scenario, origin: server.origin, number: visitor }))
      const captured = await capture.take(scenario.name)
      if (scenario.fatal) await server.ended()
      const loopback = { server: server.origin, partners: partners.origin, shop: shopOrigin(environment) }
      const own = [...machine(build.workspace), ...addresses(loopback)]
      done.push(toCrash(scenario, before, captured, own))
    }
  } finally {
    await server[Symbol.asyncDispose]()
  }
  return done
}

/** Runs every crash scenario of the page, each time for a new visitor. */
export async function crashPages(
  scenarios: readonly BrowserScenario[],
  findBuild: (release: string) => Build,
): Promise<Crash[]> {
  if (scenarios.length === 0) return []
  const browser = await startBrowser()
  try {
    const crashes: Crash[] = []
    for (const stage of groupByStage(scenarios))
      crashes.push(...(await crashPage(stage, findBuild(stage.release), browser)))
    return crashes
  } finally {
    await browser.close()
  }
}

async function crashPage(
  { environment, crashes }: Stage<BrowserScenario>,
  build: Build,
  browser: Browser,
): Promise<Crash[]> {
  const done: Crash[] = []
  for (const { scenario, before, visitor } of crashes) {
    const capture = new Capture()
    await visit({ browser, build, environment, scenario, visitor, capture })
    done.push(toCrash(scenario, before, await capture.take(scenario.name), machine(build.workspace)))
  }
  return done
}

/** Groups crashes by release and environment, in the order of the scenarios; each crash has a new visitor. */
function groupByStage<Kind extends Scenario>(scenarios: readonly Kind[]): Stage<Kind>[] {
  const stages = new Map<string, Stage<Kind>>()
  let visitor = 0
  for (const scenario of scenarios) {
    for (const { release, environment, before } of scenario.runs) {
      const name = `${release} ${environment}`
      const stage = stages.get(name) ?? { release, environment, crashes: [] }
      stage.crashes.push(...before.map((each) => ({ scenario, before: each, visitor: visitor++ })))
      stages.set(name, stage)
    }
  }
  return [...stages.values()]
}

function toCrash(scenario: Scenario, before: number, captured: Captured, own: readonly Replacement[]): Crash {
  const reported = reportedTitle(findEvent(parseEnvelope(captured.body)) ?? {})
  if (!reported.startsWith(scenario.reports)) throw new Error(`${scenario.name}: reported "${reported}"`)
  return { scenario, request: { offset_ms: 0 - before, ...neutral(captured, own) } }
}

/** `type: value` of the outermost exception, or the template of a message. */
function reportedTitle(event: JsonObject): string {
  const template = (event['logentry'] as { message?: string } | undefined)?.message
  const { values = [] } = (event['exception'] ?? {}) as { values?: { type?: string; value?: string }[] }
  const outermost = values.at(-1)
  return template ?? `${outermost?.type}: ${outermost?.value}`
}
