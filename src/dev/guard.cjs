#!/usr/bin/env node
/* oxlint-disable typescript/no-unsafe-member-access, typescript/restrict-template-expressions -- JavaScript, for any Node: no types to check */
// The command of a checkout. Runs on any Node: an older one starts the pinned Node of node_modules instead of itself.
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

/** Hands signals on and ends as the child ends: spawnSync would leave it running when this process is told to stop. */
function runPinned() {
  const { spawn } = require('node:child_process')
  const child = spawn(pinned, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (require('node:os').constants.signals[signal] ?? 0)
  })
}
