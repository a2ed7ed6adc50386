/** The option `host` of a router: which hosts its routes are for. */

import type { Route } from '../../src/internal.js'

type Constrained = Pick<Route, 'constraints' | 'headers' | 'accepts' | 'obstacle'>

/** `proxy`: whether the app believes what its proxy says of the host. */
export function constraintsOf(host: unknown, proxy: () => boolean): Constrained {
  if (host === undefined || host === '' || host === null) return {}
  const hosts = [host].flat()
  const [first] = hosts
  const remembers = first instanceof RegExp && /[gy]/.test(first.flags)
  return {
    constraints: { host: hosts.map(String).join() },
    headers: typeof first === 'string' ? { host: first } : undefined,
    accepts: (sent) => hosts.some((one) => isAt(one, hostOf(sent, proxy()))),
    obstacle: remembers
      ? `its host is ${first}, which by its flags fits one request and not the next; leave them out`
      : undefined,
  }
}

function isAt(host: unknown, sent: string): boolean {
  return host instanceof RegExp
    ? new RegExp(host.source, host.flags.replace(/[gy]/g, '')).test(sent)
    : host === sent
}

/** As `ctx.host` has it. */
function hostOf(headers: Readonly<Record<string, string>>, proxy: boolean): string {
  const [host = ''] = ((proxy && headers['x-forwarded-host']) || headers.host || '').split(/\s*,\s*/, 1)
  return host
}
