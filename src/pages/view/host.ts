/** A tool's result as the host passes it on. */
export interface ToolResult {
  structuredContent?: unknown
  isError?: boolean
  content?: readonly { text?: string }[]
}

interface Handlers {
  onResult: (result: ToolResult) => void
  onCancelled: () => void
}

interface Message {
  jsonrpc?: unknown
  id?: unknown
  method?: unknown
  params?: unknown
  result?: unknown
}

/** The part of a browser's window that the view uses: the program has no types of the DOM. */
interface Frame {
  parent: { postMessage(message: object, target: string): void }
  addEventListener(type: 'message', listen: (event: { source: unknown; data: unknown }) => void): void
  ResizeObserver: new (changed: () => void) => { observe(element: object): void }
  document: { documentElement: { style: { colorScheme: string }; scrollWidth: number }; body: { scrollHeight: number } }
}

const PROTOCOL = '2026-01-26'

/**
 * Connects the view with the host that shows it, as MCP Apps (SEP-1865, 2026-01-26) says: JSON-RPC by messages to the
 * parent, from which alone messages are read. It asks for nothing but its context: it calls no tool, opens no link and
 * sends no message to the conversation.
 */
export function connectHost({ onResult, onCancelled }: Handlers): void {
  const frame = globalThis as unknown as Frame
  const send = (message: object) => frame.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const applyTheme = (context: unknown) => {
    const theme = member(context, 'theme')
    if (theme === 'light' || theme === 'dark') frame.document.documentElement.style.colorScheme = theme
  }
  frame.addEventListener('message', ({ source, data }) => {
    if (source !== frame.parent || typeof data !== 'object' || data === null) return
    const { id, method, params, result } = data as Message
    if (method === undefined && id === 1) {
      applyTheme(member(result, 'hostContext'))
      send({ method: 'ui/notifications/initialized', params: {} })
    }
    if (method === 'ui/notifications/tool-result') onResult((params ?? {}) as ToolResult)
    if (method === 'ui/notifications/tool-cancelled') onCancelled()
    if (method === 'ui/notifications/host-context-changed') applyTheme(params)
    if (method === 'ui/resource-teardown' || method === 'ping') send({ id, result: {} })
  })
  new frame.ResizeObserver(() => {
    const { body, documentElement } = frame.document
    const params = { width: documentElement.scrollWidth, height: body.scrollHeight }
    send({ method: 'ui/notifications/size-changed', params })
  }).observe(frame.document.body)
  const params = {
    protocolVersion: PROTOCOL,
    appInfo: { name: 'tracegate-gate', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  }
  send({ id: 1, method: 'ui/initialize', params })
}

function member(given: unknown, name: string): unknown {
  return typeof given === 'object' && given !== null ? (given as Record<string, unknown>)[name] : undefined
}
