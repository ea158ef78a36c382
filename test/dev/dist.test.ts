import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Parser } from 'acorn'
import { afterAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { surface } from '../../src/surface.ts'
import { publishedPackage } from '../cli/published.ts'
import { temporaryFolder, tracegateProcess } from '../cli/run.ts'
import { collectSpans } from '../cli/telemetry/collector.ts'
import { connectHttp } from '../mcp/http/http-server.ts'
import { bareEnvironment, eventually, serve } from '../serve.ts'

const folder = temporaryFolder()
const dist = await publishedPackage()
const command = join(dist, 'tracegate.js')
const dataDir = join(folder.path, 'data')
afterAll(() => folder[Symbol.dispose]())

test('the published package needs nothing but Node', () => {
  const published = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(published).toMatchObject({
    name: 'tracegate',
    bin: { tracegate: 'tracegate.js' },
    engines: { node: '>=22.19' },
  })
  expect(published).not.toHaveProperty('dependencies')
  expect(published).not.toHaveProperty('private')
  expect(readdirSync(dist)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt']))
})

test('the tarball holds no program of a machine, and names no package to install', () => {
  const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder.path], { cwd: dist }).toString()
  execFileSync('tar', ['-xzf', join(folder.path, name.trim()), '-C', folder.path])
  const unpacked = join(folder.path, 'package')
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  expect(files.map((file) => file.name)).toEqual(expect.arrayContaining(['tracegate.js', 'main.mjs', 'package.json']))
  const isProgram = (bytes: Buffer) =>
    /^(?:\x7fELF|MZ|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)/.test(bytes.toString('latin1', 0, 4))
  const programs = files.filter((file) => isProgram(readFileSync(join(file.parentPath, file.name))))
  expect(programs.map((file) => file.name)).toEqual([])
  const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Record<string, unknown>
  expect(Object.keys(manifest).filter((key) => /dependencies$/i.test(key) || key === 'scripts')).toEqual([])
})

test.each([command, join(import.meta.dirname, '../../src/dev/guard.cjs')])(
  'any Node can read %s, to say that it is too old',
  (file) => {
    const [shebang, ...lines] = readFileSync(file, 'utf8').split('\n')
    expect(shebang).toBe('#!/usr/bin/env node')
    expect(() => Parser.parse(lines.join('\n'), { ecmaVersion: 5 })).not.toThrow()
  },
)

test('it has every tool in tools.json, and the skills as files', () => {
  const { version, tools } = JSON.parse(readFileSync(join(dist, 'tools.json'), 'utf8')) as {
    version: string
    tools: { name: string; annotations: { readOnlyHint: boolean } }[]
  }
  expect(version).toBe(packageJson.version)
  expect(tools.map(({ name }) => name)).toEqual(surface.tools.map(({ name }) => name))
  expect(tools.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name)).toEqual(
    surface.tools.filter(({ effect }) => effect === 'read').map(({ name }) => name),
  )
  expect(readFileSync(join(dist, 'skills/release-check/SKILL.md'), 'utf8')).toContain('name: release-check')
})

test('it serves MCP over stdio on a fresh data directory', async () => {
  const { code, stdout, stderr } = await tracegateProcess(
    ['call', 'find_error_issues', '--data', dataDir],
    {},
    { command },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('product: My product (id 1)')
})

test('it serves the sample shop, and knows the openapi document', async () => {
  const sample = join(folder.path, 'sample')
  const args = [command, 'serve', '--sample', '--port', '0', '--data', sample]
  const server = spawn(process.execPath, args, { env: bareEnvironment(), stdio: 'ignore' })
  const exited = once(server, 'exit')
  try {
    const file = join(sample, 'endpoints.json')
    const { rest } = await eventually('endpoints.json', async () =>
      existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { rest: string }) : undefined,
    )
    expect(await (await fetch(`${rest}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' })
    const { stdout } = await tracegateProcess(['call', 'find_error_issues', '--data', sample], {}, { command })
    expect(stdout).toContain('product: Tracegate Sample Shop (id 1)')
  } finally {
    server.kill()
    await exited
  }
})

test('it has metrics, and exports traces where a collector is configured', async () => {
  await using collector = await collectSpans()
  {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
    await using app = await serve({ main: join(dist, 'main.mjs'), env })
    await using agent = await connectHttp(app.endpoints.mcp, app.endpoints.token, '2026-07-28')
    await agent.call('find_error_issues')
    const metrics = await (await fetch(`${app.endpoints.rest}/metrics`)).text()
    expect(metrics).toContain('tracegate_tool_calls_total{gen_ai_tool_name="find_error_issues",outcome="ok"} 1')
  }
  expect(collector.spans.map(({ name }) => name)).toContain('tools/call find_error_issues')
})

test('it sends source maps, and queries a deployment over the network', async () => {
  const build = join(import.meta.dirname, '../../src/service/sample/recordings/bundles/shop@1.4.1/public')
  const upload = ['sourcemaps', 'upload', build, '--release', 'shop@1.4.1', '--data', dataDir]
  expect(await tracegateProcess(upload, {}, { command })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('3 source maps') as string,
  })
  const remote = { TRACEGATE_BASE_URL: 'http://127.0.0.1:9', TRACEGATE_API_TOKEN: 'x' }
  const { code, stdout, stderr } = await tracegateProcess(['call', 'find_error_issues', '--data', dataDir], remote, {
    command,
  })
  expect(code).toBe(1)
  expect(`${stdout}${stderr}`).toContain('upstream_unavailable')
})

test('nothing of this machine is in it', () => {
  const root = join(import.meta.dirname, '../..')
  const scripts = readdirSync(dist).filter((name) => /\.m?js$/.test(name))
  expect(scripts.length).toBeGreaterThan(5)
  expect(scripts.filter((name) => readFileSync(join(dist, name), 'utf8').includes(root))).toEqual([])
})
