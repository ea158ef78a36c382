/* oxlint-disable typescript/no-unsafe-member-access -- JavaScript: no types to check */
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

// Apart from guard.cjs, because an old Node cannot even read a file with import().
void import(pathToFileURL(join(__dirname, '../main.ts')).href)
