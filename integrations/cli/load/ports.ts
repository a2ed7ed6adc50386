/** Keeps apps that are only looked at from taking the ports of those that run. */

import net from 'node:net'

/**
 * In this process, a server that would listen on a port of its own gets a free one of this machine instead. Many
 * modules listen as soon as they are loaded, and the app may be running beside.
 */
export function lendPorts(): void {
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]): net.Server {
    return Reflect.apply(listen, this, wantsPort(args[0]) ? elsewhere(args) : args)
  } as typeof listen
}

/** A path is no port, nor is a handle. */
function wantsPort(first: unknown): boolean {
  if (typeof first === 'object' && first !== null) return 'port' in first && !('path' in first)
  return first === undefined || (typeof first !== 'function' && !Number.isNaN(Number(first)))
}

function elsewhere(args: readonly unknown[]): unknown[] {
  const [first] = args
  const given = typeof first === 'object' && first !== null ? first : {}
  return [{ ...given, port: 0, host: '127.0.0.1' }, ...args.filter((arg) => typeof arg === 'function')]
}
