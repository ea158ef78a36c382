import fc from 'fast-check'

// Each statement is a message to the server: what a property finds in all of its runs, SQLite's have found already.
fc.configureGlobal({ interruptAfterTimeLimit: 4_000 })
