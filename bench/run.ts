/** `npm run bench`: every measurement as a table, or as JSON with `--json`. It measures the built package. */

import { measureInProcess } from './in-process.js'

const measured = await measureInProcess()
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(measured, null, 2))
} else {
  console.log('| Work | Ours (µs) | Bare (µs) | Ratio |\n| --- | --- | --- | --- |')
  for (const { work, oursMicroseconds, bareMicroseconds, ratio } of measured) {
    console.log(
      `| ${work} | ${oursMicroseconds.toFixed(2)} | ${bareMicroseconds.toFixed(2)} | ${ratio.toFixed(2)} |`,
    )
  }
}
