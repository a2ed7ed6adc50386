/** Shows the content blocks of a response. Content is never interpreted as HTML. */

import { useMemo, useState } from 'react'
import { isObject } from '../src/support/values.js'
import { Choices } from './choices.js'
import { JsonTree } from './json-tree.js'
import { Markdown } from './markdown.js'
import { Pre } from './pre.js'
import { rowsOf, Table } from './table.js'

type Block = Readonly<Record<string, unknown>>

/** Raster images only, since SVG may contain links and scripts. */
const pictures = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon)$/i
const sounds = /^audio\/[\w.+-]+$/i

export function Blocks({ blocks }: { blocks: readonly unknown[] }) {
  return (
    <div className="blocks">
      {blocks.map((block, index) => (
        <ContentBlock key={index} block={isObject(block) ? block : { type: 'text', text: String(block) }} />
      ))}
      {blocks.length === 0 && <p className="quiet">The response has no content.</p>}
    </div>
  )
}

function ContentBlock({ block }: { block: Block }) {
  const { type, data, mimeType } = block
  if (type === 'text') return <Text text={String(block.text)} />
  if (type === 'image' || type === 'audio') return <Bytes base64={String(data)} mimeType={String(mimeType)} />
  if (type === 'resource' && isObject(block.resource)) return <Contents contents={block.resource} />
  if (type === 'resource_link') return <Link link={block} />
  return <JsonTree value={block} />
}

function Link({ link }: { link: Block }) {
  return (
    <p>
      <span className="tag">link</span> {String(link.name ?? '')} <code>{String(link.uri)}</code>
      {typeof link.description === 'string' && <span className="quiet"> {link.description}</span>}
    </p>
  )
}

/** Shows one content of a resource, from `resources/read` or embedded in a result. */
export function Contents({ contents }: { contents: Block }) {
  const { uri, mimeType, text, blob } = contents
  return (
    <figure className="contents">
      <figcaption>
        <code>{String(uri)}</code> <span className="quiet">{String(mimeType ?? '')}</span>
      </figcaption>
      {typeof text === 'string' ? (
        <Text text={text} mimeType={String(mimeType ?? '')} />
      ) : (
        <Bytes base64={String(blob ?? '')} mimeType={String(mimeType ?? '')} />
      )}
    </figure>
  )
}

function Bytes({ base64, mimeType }: { base64: string; mimeType: string }) {
  const source = `data:${mimeType};base64,${base64}`
  const plain = /^[A-Za-z0-9+/=_-]*$/.test(base64)
  if (plain && pictures.test(mimeType)) return <img src={source} alt={`The response, as ${mimeType}`} />
  if (plain && sounds.test(mimeType)) {
    // biome-ignore lint/a11y/useMediaCaption: audio content has no captions
    return <audio controls src={source} aria-label={`The response, as ${mimeType}`} />
  }
  return (
    <p className="quiet">
      {Math.floor((base64.length * 3) / 4)} bytes of {mimeType || 'an unknown type'}
    </p>
  )
}

type View = 'text' | 'markdown' | 'table' | 'tree'

const names: Readonly<Record<View, string>> = {
  text: 'Text',
  markdown: 'Markdown',
  table: 'Table',
  tree: 'JSON',
}

/** Shows a text, with a choice of the views that fit it. */
function Text({ text, mimeType = '' }: { text: string; mimeType?: string }) {
  const value = useMemo(() => jsonOf(text), [text])
  const isMarkdown = /markdown/.test(mimeType)
  const views: View[] = [
    ...(rowsOf(value) === undefined ? [] : (['table'] as const)),
    ...(value === undefined ? [] : (['tree'] as const)),
    'text',
    ...(value === undefined && !/html|xml/.test(mimeType) ? (['markdown'] as const) : []),
  ]
  const [chosen, choose] = useState<View>()
  const view = chosen ?? (isMarkdown ? 'markdown' : (views[0] as View))
  return (
    <div>
      {views.length > 1 && (
        <Choices
          label="How to show it"
          names={Object.fromEntries(views.map((name) => [name, names[name]])) as typeof names}
          chosen={view}
          onChoose={choose}
        />
      )}
      {view === 'text' && <Pre>{text}</Pre>}
      {view === 'markdown' && <Markdown text={text} />}
      {view === 'table' && <Table value={value} />}
      {view === 'tree' && <JsonTree value={value} />}
    </div>
  )
}

/** Parses a JSON array or object. Returns `undefined` for any other text. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
