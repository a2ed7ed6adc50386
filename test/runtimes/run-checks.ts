/** Runs the checks where there is no test library, and prints a line for each. */
import { checks } from './checks.js'

for (const [name, check] of Object.entries(checks)) {
  try {
    await check()
    console.log(`OK ${name}`)
  } catch (error) {
    console.log(`FAIL ${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
