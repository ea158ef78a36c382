import { writeFile } from 'node:fs/promises'
import { openApi } from '../contract/openapi/index.ts'

/**
 * `npm run openapi`: writes the OpenAPI document that the service serves and that is committed next to the contract.
 */
const file = new URL('../contract/openapi.json', import.meta.url)
await writeFile(file, `${JSON.stringify(openApi(), null, 1)}\n`)
