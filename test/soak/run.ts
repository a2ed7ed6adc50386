/** `npm run soak [-- --seconds 900 --host express]`: mixed traffic on each host; ends with 1 where something was wrong. */

import { parseArgs } from 'node:util'
import { growth, type Host, hosts, type Outcome, soak } from './soak.js'
import { visits as kinds } from './visits.js'

const names = Object.keys(kinds)

/** Of the memory in use, from the first third of the time to the last. */
const mostGrowth = 1.1

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '900' }, host: { type: 'string', multiple: true } },
})
const wanted = (values.host ?? [...hosts]) as Host[]
const unknown = wanted.find((host) => !hosts.includes(host))
if (unknown !== undefined || !(Number(values.seconds) > 0)) {
  console.error(`expected --seconds with a number and --host with one of ${hosts.join(', ')}`)
  process.exit(2)
}

for (const host of wanted) {
  const outcome = await soak({ host, seconds: Number(values.seconds), clock: 60, sessions: 10_000 })
  const problems = problemsOf(outcome)
  console.log(`${problems.length === 0 ? 'OK' : 'FAIL'} ${host}: ${summary(outcome)}`)
  for (const problem of problems) console.log(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}

function summary({ visits, late, memory, rss }: Outcome): string {
  const total = Object.values(visits).reduce((sum, count) => sum + count, 0)
  const least = Math.min(...names.map((name) => visits[name] ?? 0))
  const mib = (bytes: number | undefined) => `${((bytes ?? 0) / 2 ** 20).toFixed(1)} MiB`
  return [
    `${total} visits of ${names.length} kinds, at least ${least} of each, ${late.length} too late to answer`,
    `memory ${mib(memory[0])} to ${mib(memory.at(-1))}, growth ${growth(memory).toFixed(3)}, rss ${mib(rss)}`,
  ].join('; ')
}

function problemsOf({ visits, wrong, unanswered, uncaught, memory, left }: Outcome): string[] {
  return [
    ...names
      .filter((name) => visits[name] === undefined)
      .map((name) => `none ended well of those that: ${name}`),
    ...[...new Set(wrong)].slice(0, 20),
    ...unanswered.map((name) => `no answer to one that ${name}`),
    ...uncaught.slice(0, 5).map((stack) => `nobody caught ${stack}`),
    ...(left.running + left.streams > 0 ? [`still there at the end: ${JSON.stringify(left)}`] : []),
    ...(growth(memory) > mostGrowth
      ? [`memory grew: ${memory.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(' ')}`]
      : []),
  ]
}
