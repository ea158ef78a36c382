import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveHere, temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const repository = join(folder.path, 'shop')
const dataIn = (name: string) => join(folder.path, name)
beforeAll(() => {
  mkdirSync(repository)
  writeFileSync(join(repository, 'server.ts'), '')
})

/** Another program of this machine, on a port of its own or on the given one. */
async function occupy(port = 0): Promise<AsyncDisposable & { port: string }> {
  const server: Server = createServer((socket) => socket.destroy())
  await new Promise<void>((done) => {
    server.once('error', () => done())
    server.listen(port, '127.0.0.1', () => done())
  })
  const address = server.address() as AddressInfo | null
  return {
    port: String(address?.port ?? port),
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done))
    },
  }
}

async function unusedPort(): Promise<string> {
  await using other = await occupy()
  return other.port
}

function portIn(text: string): string {
  return /http:\/\/[0-9a-f]{32}@127\.0\.0\.1:(\d+)\/1/.exec(text)?.[1] ?? 'no DSN'
}

test('where another program has the usual port, init and serve take one that is free, and every DSN names it', async () => {
  await using usual = await occupy(4319)
  const dataDir = dataIn('usual')
  const { code, stdout, stderr } = await tracegate(['init', repository, '--data', dataDir])
  const port = portIn(stdout)
  expect(code).toBe(0)
  expect(port).toMatch(/^\d+$/)
  expect(port).not.toBe(usual.port)
  expect(stderr).toBe(
    `tracegate: another program has port 4319, so the server of this data directory gets port ${port}\n`,
  )
  expect(portIn((await tracegate(['admin', 'key', 'add', '--server', '--data', dataDir])).stdout)).toBe(port)
  await using served = await serveHere({ dataDir, keepsPort: true })
  expect(new URL(served.endpoints.dsn).port).toBe(port)
})

test('the port that init is given is kept for the data directory', async () => {
  const [port, dataDir] = [await unusedPort(), dataIn('given')]
  expect(portIn((await tracegate(['init', repository, '--port', port, '--data', dataDir])).stdout)).toBe(port)
  expect(portIn((await tracegate(['init', repository, '--data', dataDir])).stdout)).toBe(port)
  await using served = await serveHere({ dataDir, keepsPort: true })
  expect(new URL(served.endpoints.rest).port).toBe(port)
})

test('init prints no DSN with a port that another program has, and makes nothing', async () => {
  await using other = await occupy()
  const dataDir = dataIn('refused')
  const { code, stdout, stderr } = await tracegate(['init', repository, '--port', other.port, '--data', dataDir])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^tracegate: port \d+ on 127\.0\.0\.1 is in use by another program: .*--port \d+\n$/)
  expect(existsSync(dataDir)).toBe(false)
})

test('no key is made while another program has the port of the data directory', async () => {
  const [port, dataDir] = [await unusedPort(), dataIn('later')]
  await tracegate(['init', repository, '--port', port, '--data', dataDir])
  await using other = await occupy(Number(port))
  const refused = await tracegate(['admin', 'key', 'add', '--server', '--data', dataDir])
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`port ${other.port}`) as string,
  })
  expect((await tracegate(['admin', 'key', 'list', '--data', dataDir])).stdout).not.toContain('server')
})

test('serve that finds its port taken says that the DSNs change with the port, and the commands that it names do it', async () => {
  const [port, dataDir] = [await unusedPort(), dataIn('moved')]
  await tracegate(['init', repository, '--port', port, '--data', dataDir])
  await using other = await occupy(Number(port))
  // Another test may take the port that is named before it is used.
  const followed = async () => {
    const { code, stderr } = await tracegate(['serve', '--data', dataDir])
    expect(code).toBe(2)
    expect(stderr).toContain(`port ${other.port} on 127.0.0.1 is in use by another program`)
    const [, next = ''] = /DSNs printed so far name port \d+: tracegate init DIR --port (\d+) prints/.exec(stderr) ?? []
    return portIn((await tracegate(['init', repository, '--port', next, '--data', dataDir])).stdout) === next
  }
  await expect.poll(followed).toBe(true)
})

test('a server on another port than the DSNs name says so, and DSNs name its port from then on', async () => {
  const [before, after, dataDir] = [await unusedPort(), await unusedPort(), dataIn('elsewhere')]
  await tracegate(['init', repository, '--port', before, '--data', dataDir])
  await using served = await serveHere({ dataDir, args: ['--port', after] })
  expect(served.output()).toContain(`DSNs that name port ${before} do not lead here: in each, write ${after} instead`)
  await served.kill()
  expect(portIn((await tracegate(['admin', 'key', 'add', '--data', dataDir])).stdout)).toBe(after)
})

test('what a server that was killed left behind is not believed', async () => {
  const [port, dataDir] = [await unusedPort(), dataIn('killed')]
  await tracegate(['init', repository, '--port', port, '--data', dataDir])
  await using other = await occupy()
  const served = await serveHere({ dataDir })
  const left = readFileSync(join(dataDir, 'endpoints.json'), 'utf8')
  const gone = new URL(served.endpoints.rest).port
  await served.kill()
  writeFileSync(join(dataDir, 'endpoints.json'), left.replaceAll(`:${gone}`, `:${other.port}`))
  expect(portIn((await tracegate(['admin', 'key', 'add', '--data', dataDir])).stdout)).toBe(port)
})
