/** Parses and expands URI templates (the part of RFC 6570 that MCP uses). */

import type { Argument } from './arguments-form.js'

const expression = /\{([+#./;?&]?)([^{}]+)\}/g

export function variablesOf(template: string): Argument[] {
  return [...template.matchAll(expression)].flatMap(([, operator = '', names = '']) =>
    namesIn(names).map((name) => ({ name, description: '', required: !/[?&;]/.test(operator) })),
  )
}

export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(expression, (_, operator: string, names: string) => {
    const given = namesIn(names).filter((name) => values[name] !== undefined)
    if (/[?&;]/.test(operator)) {
      const pairs = given.map((name) => `${name}=${encodeURIComponent(values[name] as string)}`)
      return pairs.length === 0 ? '' : operator + pairs.join(operator === '?' ? '&' : operator)
    }
    const encode = /[+#]/.test(operator) ? encodeURI : encodeURIComponent
    const texts = given.map((name) => encode(values[name] as string))
    return (operator === '+' ? '' : operator) + texts.join(/[./]/.test(operator) ? operator : ',')
  })
}

function namesIn(names: string): string[] {
  return names.split(',').map((name) => name.replace(/\*$|:\d+$/, '').trim())
}
