import { prompts } from '../prompts/index.ts'
import { resources, templates, views } from '../resources/index.ts'
import { tools } from '../tools/index.ts'
import type { Surface } from './mcp/surface/listing.ts'

/** The only door from src/ to tools/, resources/ and prompts/. */
export const surface: Surface = { tools, resources, templates, prompts, views }
