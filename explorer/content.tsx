/** What a server answered, block by block. All of it is data: text stays text. */

import { useMemo, useState } from 'react'
import { isObject } from '../src/support/values.js'
import { Choices } from './choices.js'
import { JsonTree } from './json-tree.js'
import { Markdown } from './markdown.js'
import { Pre } from './pre.js'
import { rowsOf, Table } from './table.js'

type Block = Readonly<Record<string, unknown>>

/** Raster pictures: a drawing could hold links and scripts. */
const pictures = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon)$/i
const sounds = /^audio\/[\w.+-]+$/i

export function Blocks({ blocks }: { blocks: readonly unknown[] }) {
  return (
    <div className="blocks">
      {blocks.map((block, index) => (
        <ContentBlock key={index} block={isObject(block) ? block : { type: 'text', text: String(block) }} />
      ))}
      {blocks.length === 0 && <p className="quiet">Nothing: the answer has no content.</p>}
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

/** One item of a resource: of `resources/read`, or embedded. */
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
  if (plain && pictures.test(mimeType)) return <img src={source} alt={`The answer, as ${mimeType}`} />
  if (plain && sounds.test(mimeType)) {
    // biome-ignore lint/a11y/useMediaCaption: sounds that a server answers come without
    return <audio controls src={source} aria-label={`The answer, as ${mimeType}`} />
  }
  return (
    <p className="quiet">
      {Math.floor((base64.length * 3) / 4)} bytes of {mimeType || 'an unknown kind'}
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

/** A text in the views that it has. */
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
          names={Object.fromEntries(views.map((one) => [one, names[one]])) as typeof names}
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

/** `undefined` for what is no array or object. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
