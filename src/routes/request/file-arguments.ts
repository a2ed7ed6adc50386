/** Detects file arguments, and describes to the model how to send files, which JSON Schema can't express. */

import { isObject } from '../../support/values.js'
import type { Argument } from './arguments.js'

/** Whether a schema describes a file or a list of files. */
export function isFile(schema: unknown): boolean {
  if (!isObject(schema)) return false
  return schema.format === 'binary' || schema.contentEncoding === 'base64' || isFile(schema.items)
}

const asWhat = 'as base64, as a data URI, or as the URI of a resource of this server'

/** Adds the description to a file argument. JSON and text bodies don't carry files. */
export function describeFile(argument: Argument, consumes: string | undefined): Argument {
  const { part, schema } = argument
  if (part !== 'body' || !isObject(schema) || !isFile(schema) || !carriesFiles(consumes)) return argument
  const { description } = schema
  if (typeof description === 'string' && /base64/i.test(description)) return argument
  const each = isObject(schema.items) ? `Files, each ${asWhat}` : `A file, ${asWhat}`
  const text = typeof description === 'string' && description !== '' ? `${description}\n${each}.` : `${each}.`
  return { ...argument, schema: { ...schema, description: text } }
}

function carriesFiles(consumes: string | undefined): boolean {
  return consumes !== undefined && !/^text\/|[/+](?:json|xml|yaml)\b|x-www-form-urlencoded/i.test(consumes)
}
