// node run.mjs CLIENT URL, or CLIENT --stdio COMMAND [ARGS…]: lets one client talk to a server; prints `OK CLIENT …` or
// `FAIL CLIENT …`.
import { clients } from './clients.mjs'

const [name, url, command, ...args] = process.argv.slice(2)
const target = url === '--stdio' ? { command, args } : { url }
const started = performance.now()
try {
  const details = await clients[name](target)
  console.log(`OK ${name}${describe(details)} in ${Math.round(performance.now() - started)} ms`)
  process.exit(0) // some clients leave timers behind
} catch (error) {
  console.log(`FAIL ${name} ${explain(error)}`)
  process.exit(1)
}

function describe(details) {
  return Object.entries(details)
    .map(([key, value]) => ` ${key}=${value}`)
    .join('')
}

function explain(error) {
  const messages = []
  for (let at = error; at && messages.length < 4; at = at.cause) messages.push(at.message ?? String(at))
  return messages.join('; because: ').replace(/\s+/g, ' ').slice(0, 500)
}
