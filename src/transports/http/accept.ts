/** Parses the `Accept` header (RFC 9110, 12.5.1). */

export interface Accepted {
  readonly json: boolean
  readonly sse: boolean
}

const everything: Accepted = { json: true, sse: true }

/** Whether a client accepts JSON and event streams. Without the header, both. The most specific range counts; `q=0` refuses. */
export function readAccept(header: string | undefined): Accepted {
  if (header === undefined || header === commonAccept) return everything
  const ranges = header.split(',').map(readRange)
  return { json: accepts(ranges, 'application', 'json'), sse: accepts(ranges, 'text', 'event-stream') }
}

/** Whether a browser sends the request: it prefers HTML, explicitly, to the types that MCP clients accept. */
export function prefersHtml(header: string | undefined): boolean {
  if (header === undefined || header === commonAccept) return false
  const ranges = header.split(',').map(readRange)
  const qualityOf = (type: string, subtype: string): number =>
    ranges.find((one) => one.type === type && one.subtype === subtype)?.quality ?? 0
  const html = qualityOf('text', 'html')
  return html > 0 && html > qualityOf('text', 'event-stream') && html > qualityOf('application', 'json')
}

/** The header of nearly all clients. */
const commonAccept = 'application/json, text/event-stream'

interface Range {
  readonly type: string
  readonly subtype: string
  readonly quality: number
}

function readRange(text: string): Range {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const [type = '', subtype = ''] = range.split('/')
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, subtype, quality: Number.isNaN(quality) ? 1 : quality }
}

function accepts(ranges: readonly Range[], type: string, subtype: string): boolean {
  const candidates: readonly (readonly [string, string])[] = [
    [type, subtype],
    [type, '*'],
    ['*', '*'],
  ]
  for (const [wantedType, wantedSubtype] of candidates) {
    const range = ranges.find((one) => one.type === wantedType && one.subtype === wantedSubtype)
    if (range !== undefined) return range.quality > 0
  }
  return false
}
