import * as fc from 'fast-check'

/**
 * A property that fails is made smaller for so long, and then reported. Without an end it went on behind the timeout of its
 * test, and every later file of the worker took twenty times as long.
 */
fc.configureGlobal({ interruptAfterTimeLimit: 20_000 })
