import type { Page } from 'playwright-core'

/** A host that shows the view in a sandboxed frame and passes it what it is told; `heard` has the view's messages. */
export async function showIn(page: Page, html: string, capabilities: object = {}) {
  await page.route('https://host.example/', (route) => route.fulfill({ contentType: 'text/html', body: hostPage }))
  await page.goto('https://host.example/')
  const given = [html, capabilities].map((value) => JSON.stringify(value).replaceAll('</', String.raw`<\/`))
  await page.evaluate(`start(${given.join()})`)
  await page.waitForFunction(`heard.some(({ method }) => method === 'ui/notifications/initialized')`)
  const frame = page.frameLocator('iframe')
  return {
    frame,
    heard: () => page.evaluate<{ method?: string; params?: unknown }[]>('heard'),
    tell: (method: string, params: unknown) =>
      page.evaluate(`tell(${JSON.stringify({ jsonrpc: '2.0', method, params })})`),
  }
}

const hostPage = `<!doctype html><html lang="en"><title>Host</title><main><h1>Host</h1></main><script>
  const heard = []
  let frame
  function tell(message) { frame.contentWindow.postMessage(message, '*') }
  function start(html, hostCapabilities) {
    addEventListener('message', ({ data }) => {
      heard.push(data)
      if (data.method === 'ui/message') tell({ jsonrpc: '2.0', id: data.id, result: {} })
      if (data.method !== 'ui/initialize') return
      const { protocolVersion } = data.params
      tell({ jsonrpc: '2.0', id: data.id, result: { protocolVersion, hostCapabilities, hostContext: { theme: 'dark' } } })
    })
    frame = document.createElement('iframe')
    frame.title = 'View'
    frame.style = 'width:100%;height:2000px;border:0'
    frame.sandbox = 'allow-scripts'
    frame.allow = 'clipboardWrite' in (hostCapabilities.sandbox?.permissions ?? {}) ? 'clipboard-write *' : ''
    frame.srcdoc = html
    document.querySelector('main').append(frame)
  }
</script></html>`
