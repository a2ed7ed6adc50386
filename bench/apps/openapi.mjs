/** Converts one OpenAPI document. Prints the number of tools, the CPU time in milliseconds and the peak memory in MiB. */

import { McpRouter } from 'mcp-router'
import { addOpenApi } from 'mcp-router/openapi'

const [file = ''] = process.argv.slice(2)
const silent = () => {}
const logger = { debug: silent, info: silent, warn: silent, error: silent }
const router = new McpRouter({ name: 'bench', version: '1.0.0', logger })
const started = process.cpuUsage()
const { tools } = await addOpenApi(router, file, { baseUrl: 'http://127.0.0.1:1' })
router.list()
const { user, system } = process.cpuUsage(started)
const ms = (user + system) / 1_000
console.log(JSON.stringify({ tools: tools.length, ms, mib: process.resourceUsage().maxRSS / 1_024 }))
