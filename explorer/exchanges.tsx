/** Shows the raw HTTP requests and responses of a run. */

import { Pre } from './pre.js'
import type { Exchange } from './traffic.js'

export function Exchanges({ exchanges }: { exchanges: readonly Exchange[] }) {
  return (
    <div className="exchanges">
      {exchanges.map((exchange) => (
        <article key={exchange.id} aria-label={`Request ${exchange.method}`}>
          <h4>Request</h4>
          <Pre>{requestText(exchange)}</Pre>
          <h4>Answer</h4>
          <Pre>{answerText(exchange)}</Pre>
        </article>
      ))}
    </div>
  )
}

function requestText({ method, url, headers, body }: Exchange): string {
  return `${method} ${new URL(url).pathname}\n${headerText(headers)}\n\n${pretty(body)}`
}

function answerText({ answer: { status, headers, text, took } }: Exchange): string {
  if (status === undefined) return took === undefined ? 'None yet' : 'None: the connection was lost or closed'
  return `${status} (${Math.round(took ?? 0)} ms)\n${headerText(headers)}\n\n${pretty(text)}`
}

function headerText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${name === 'authorization' ? value.replace(/ .*/, ' …') : value}`)
    .join('\n')
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
