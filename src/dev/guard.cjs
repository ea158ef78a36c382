#!/usr/bin/env node
/* oxlint-disable typescript/no-unsafe-member-access, typescript/restrict-template-expressions -- JavaScript, for any Node: no types to check */
// The command of a checkout. Runs on any Node: an older version starts the pinned Node in node_modules instead.
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const main = join(__dirname, '..', 'main.ts')
const pinned = join(__dirname, '../../node_modules/.bin/node')

if (Number(process.versions.node.split('.')[0]) >= 24) {
  void import(require('node:url').pathToFileURL(main).href)
} else if (existsSync(pinned)) {
  runPinned()
} else {
  console.error(`tracegate: needs Node 24, this is ${process.version}; run npm ci in the checkout, which brings one`)
  process.exitCode = 1
}

/** Forwards signals and exits like the child: spawnSync would leave the child running when this process is stopped. */
function runPinned() {
  const { spawn } = require('node:child_process')
  const child = spawn(pinned, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (require('node:os').constants.signals[signal] ?? 0)
  })
}
