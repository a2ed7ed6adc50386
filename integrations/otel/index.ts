/** `mcp-router/otel`: traces and durations under OpenTelemetry's conventions for MCP. */

export { type InstrumentOptions, instrument } from './instrument.js'
