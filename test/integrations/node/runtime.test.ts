import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runtime } from '../../../integrations/node/runtime.js'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('load', () => {
  it('loads a package that is installed next to ours', () => {
    expect(runtime.load('ajv')).toHaveProperty('Ajv')
  })

  it("falls back to the packages of the app's folder", () => {
    vi.spyOn(process, 'cwd').mockReturnValue(
      folderWithPackage('only-in-the-app', 'module.exports = { found: true }'),
    )
    expect(runtime.load('only-in-the-app')).toEqual({ found: true })
  })

  it('throws for a missing package, with its name', () => {
    expect(() => runtime.load('no-such-package')).toThrow(/no-such-package/)
  })

  it("does not hide a package's own failure", () => {
    vi.spyOn(process, 'cwd').mockReturnValue(
      folderWithPackage('broken', 'throw new Error("its own failure")'),
    )
    expect(() => runtime.load('broken')).toThrow('its own failure')
  })
})

it('reads the environment at call time', () => {
  expect(runtime.env('MCP_ROUTER_TEST')).toBeUndefined()
  vi.stubEnv('MCP_ROUTER_TEST', 'set')
  expect(runtime.env('MCP_ROUTER_TEST')).toBe('set')
})

it('returns plain byte arrays that share no memory', () => {
  const secret = new Uint8Array(16)
  const sealed = runtime.seal(secret, 'state', Uint8Array.of(1))
  for (const bytes of [
    runtime.random(24),
    runtime.sha256('a'),
    sealed,
    runtime.open(secret, 'state', sealed),
  ]) {
    expect(bytes?.constructor).toBe(Uint8Array)
    expect(bytes?.buffer.byteLength).toBe(bytes?.length)
  }
})

function folderWithPackage(name: string, code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-router-'))
  mkdirSync(join(folder, 'node_modules', name), { recursive: true })
  writeFileSync(join(folder, 'node_modules', name, 'index.js'), code)
  return folder
}
