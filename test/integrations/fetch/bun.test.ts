import { reportOf } from './runtimes/run.js'

await reportOf('bun', 'bun.contract.ts')
