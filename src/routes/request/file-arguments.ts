/** Which arguments are files, and what a model is told of them: JSON Schema has no words for how one is sent. */

import { isObject } from '../../support/values.js'
import type { Argument } from './arguments.js'

/** Alone, or in a list. */
export function isFile(schema: unknown): boolean {
  if (!isObject(schema)) return false
  return schema.format === 'binary' || schema.contentEncoding === 'base64' || isFile(schema.items)
}

const asWhat = 'as base64, as a data URI, or as the URI of a resource of this server'

/** What travels as JSON or as text is sent as it is. */
export function describeFile(argument: Argument, consumes: string | undefined): Argument {
  const { part, schema } = argument
  if (part !== 'body' || !isObject(schema) || !isFile(schema) || !carriesFiles(consumes)) return argument
  const { description } = schema
  if (typeof description === 'string' && /base64/i.test(description)) return argument
  const each = isObject(schema.items) ? `Files, each ${asWhat}` : `A file, ${asWhat}`
  const said = typeof description === 'string' && description !== '' ? `${description}\n${each}.` : `${each}.`
  return { ...argument, schema: { ...schema, description: said } }
}

function carriesFiles(consumes: string | undefined): boolean {
  return consumes !== undefined && !/^text\/|[/+](?:json|xml|yaml)\b|x-www-form-urlencoded/i.test(consumes)
}
