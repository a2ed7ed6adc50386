/** `mcp-router/otel`: spans and duration metrics that follow OpenTelemetry's semantic conventions for MCP. */

export { type InstrumentOptions, instrument } from './instrument.js'
