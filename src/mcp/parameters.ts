import * as z from 'zod'

/** Left out of every tool when a product is pinned. */
export const Product = z.string().describe('Product id or name.').optional()
export const Limit = z.int().min(1).max(50).default(15).describe('Rows.')
export const Cursor = z.string().describe('next_cursor of the previous page.').optional()
export const DryRun = z.boolean().default(false).describe('Preview only.')
export const Detail = z.enum(['concise', 'full']).default('concise').describe('full adds long text.')
