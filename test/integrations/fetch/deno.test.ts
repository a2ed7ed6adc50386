import { reportOf } from './runtimes/run.js'

await reportOf('deno', 'deno.contract.ts')
