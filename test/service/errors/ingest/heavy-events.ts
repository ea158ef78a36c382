/** As many objects as `extra` keeps. */
const list = `[${'{},'.repeat(16_000)}{}]`
const lists = Array.from({ length: 16 }, (_, at) => `"list${String(at)}":${list}`).join()

/** JSON of six events, whose values take fifty times as much memory: together 200 MB. */
export const heavyEvents: readonly string[] = Array.from({ length: 6 }, (_, at) => {
  return `{"event_id":"${String(at).repeat(32)}","message":"heavy ${String(at)}","extra":{${lists}}}`
})
