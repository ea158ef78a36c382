import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'

/** The least that the SDK serves over stdio: one tool. What starts faster does not load the SDK. */
serveStdio(() => {
  const server = new McpServer({ name: 'minimal', version: '1' })
  server.registerTool('echo', { description: 'Echoes.', inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  return server
})
