/** A tool's result as the host passes it on. */
export interface ToolResult {
  structuredContent?: unknown
  isError?: boolean
  content?: readonly { text?: string }[]
}

interface Handlers {
  /** The name of the view. */
  name: string
  onResult: (result: ToolResult) => void
  onCancelled: () => void
}

/** What the host does for the view. */
export interface Host {
  /** Whether it takes messages for the conversation; not known before it has answered. */
  takesMessages(this: void): boolean
  /** Sends a text as the person's; resolves to false where the host or the person refuses. */
  say(this: void, text: string): Promise<boolean>
}

interface Message {
  jsonrpc?: unknown
  id?: unknown
  method?: unknown
  params?: unknown
  result?: unknown
  error?: unknown
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
 * parent, from which alone messages are read. It calls no tool, opens no link and asks for nothing but its context and, when
 * a person presses a button, to say a text in the conversation.
 */
export function connectHost({ name, onResult, onCancelled }: Handlers): Host {
  const frame = globalThis as unknown as Frame
  const waiting = new Map<unknown, (message: Message) => void>()
  let capabilities: unknown
  const send = (message: object) => frame.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const request = (method: string, params: object) =>
    new Promise<Message>((resolve) => {
      const id = waiting.size + 1
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  const applyTheme = (context: unknown) => {
    const theme = member(context, 'theme')
    if (theme === 'light' || theme === 'dark') frame.document.documentElement.style.colorScheme = theme
  }
  frame.addEventListener('message', ({ source, data }) => {
    if (source !== frame.parent || typeof data !== 'object' || data === null) return
    const message = data as Message
    const { id, method, params } = message
    if (method === undefined) waiting.get(id)?.(message)
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
  void request('ui/initialize', {
    protocolVersion: PROTOCOL,
    appInfo: { name: `tracegate-${name}`, version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  }).then(({ result }) => {
    capabilities = member(result, 'hostCapabilities')
    applyTheme(member(result, 'hostContext'))
    send({ method: 'ui/notifications/initialized', params: {} })
  })
  return {
    takesMessages: () => member(capabilities, 'message') !== undefined,
    async say(text) {
      const answer = await request('ui/message', { role: 'user', content: [{ type: 'text', text }] })
      return answer.error === undefined && member(answer.result, 'isError') !== true
    },
  }
}

function member(given: unknown, name: string): unknown {
  return typeof given === 'object' && given !== null ? (given as Record<string, unknown>)[name] : undefined
}
