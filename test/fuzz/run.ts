/**
 * `npm run fuzz [-- --seconds 60 --target messages]`: changes texts at random, and goes on from those that reach code that
 * none before has reached. Ends with 1 and the text where a target throws, or takes longer than a second.
 */

import { parseArgs } from 'node:util'
import { type Coverage, watchCoverage } from './coverage.js'
import { mutate } from './mutate.js'
import { type Target, targets } from './targets.js'

const longestMs = 1_000
/** Reading the counters costs more than a run: they are read once for some of them. */
const perReading = 20

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, target: { type: 'string' } },
})
const seconds = Number(values.seconds)
const wanted = Object.entries(targets).filter(
  ([name]) => values.target === undefined || values.target === name,
)
if (wanted.length === 0 || !(seconds > 0)) {
  console.error(
    `expected --seconds with a number and --target with one of ${Object.keys(targets).join(', ')}`,
  )
  process.exit(2)
}

const coverage = await watchCoverage()
for (const [name, target] of wanted) {
  const found = await fuzz(target, coverage, Date.now() + seconds * 1_000)
  console.log(
    `${found.failure === undefined ? 'OK' : 'FAIL'} ${name}: ${found.runs} runs, ${found.corpus} texts kept for the code that they reached`,
  )
  if (found.failure === undefined) continue
  console.log(`  ${found.failure}`)
  process.exitCode = 1
}
coverage.stop()

interface Found {
  readonly runs: number
  readonly corpus: number
  readonly failure?: string
}

async function fuzz(target: Target, { fresh }: Coverage, end: number): Promise<Found> {
  const corpus = [...target.seeds]
  let runs = 0
  for (const seed of corpus) await target.run(seed)
  await fresh()
  while (Date.now() < end) {
    const batch = Array.from({ length: perReading }, () => mutate(corpus))
    for (const text of batch) {
      runs += 1
      const failure = await failureOf(target, text)
      if (failure !== undefined) return { runs, corpus: corpus.length, failure }
    }
    // One of them reached it; all go on, since finding out which would cost more than the others do.
    if ((await fresh()) > 0) corpus.push(...batch)
  }
  return { runs, corpus: corpus.length - target.seeds.length }
}

async function failureOf(target: Target, text: string): Promise<string | undefined> {
  const began = performance.now()
  try {
    await target.run(text)
  } catch (error) {
    return `${JSON.stringify(text)}: ${(error as Error).stack}`
  }
  const took = performance.now() - began
  return took > longestMs ? `${JSON.stringify(text)} took ${Math.round(took)} ms` : undefined
}
