/** `npm run bench`: every measurement as a table, or as JSON with `--json`. It measures the built package. */

import { measureCheckedToken } from './checked-token.js'
import { measureInProcess } from './in-process.js'
import { measureRouteTools } from './route-tools.js'

const measured = [
  ...(await measureInProcess()),
  ...(await measureCheckedToken()),
  ...(await measureRouteTools()),
]
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(measured, null, 2))
} else {
  console.log('| Work | Ours (µs) | Bare (µs) | Adds (µs) | Ratio |\n| --- | --- | --- | --- | --- |')
  for (const { work, oursMicroseconds, bareMicroseconds, addedMicroseconds, ratio } of measured) {
    const numbers = [oursMicroseconds, bareMicroseconds, addedMicroseconds, ratio]
    console.log(`| ${work} | ${numbers.map((number) => number.toFixed(2)).join(' | ')} |`)
  }
}
