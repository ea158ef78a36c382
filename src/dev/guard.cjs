#!/usr/bin/env node
/* oxlint-disable -- JavaScript of 2009, which any Node can read: no types to check, and no newer syntax */
// The command of a checkout. An older Node than the sources need starts the pinned one in node_modules instead.
var fs = require('fs')
var path = require('path')

var main = path.join(__dirname, '..', 'main.ts')
var pinned = path.join(__dirname, '../../node_modules/.bin/node')

if (Number(process.versions.node.split('.')[0]) >= 24) {
  require('./load-main.cjs')
} else if (fs.existsSync(pinned)) {
  runPinned()
} else {
  var own = process.version + ' at ' + process.execPath
  console.error('tracegate: needs Node 24, this is ' + own + '; run npm ci in the checkout, which brings one')
  process.exitCode = 1
}

/** Forwards signals and exits like the child: spawnSync would leave the child running when this process is stopped. */
function runPinned() {
  var child = require('child_process').spawn(pinned, [main].concat(process.argv.slice(2)), { stdio: 'inherit' })
  var signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  signals.forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal)
    })
  })
  child.on('exit', function (code, signal) {
    process.exitCode = code === null ? 128 + (require('os').constants.signals[signal] || 0) : code
  })
}
