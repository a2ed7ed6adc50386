/**
 * Shows Markdown from a server. Each token becomes an element, never HTML: tags stay text, only http, https and mailto
 * links work, and external images aren't loaded.
 */

import { lexer, type Token, type Tokens } from 'marked'
import { createElement, Fragment, type ReactNode, useMemo } from 'react'

export function Markdown({ text }: { text: string }) {
  const shown = useMemo(() => nodes(lexer(text)), [text])
  return <div className="markdown">{shown}</div>
}

function nodes(tokens: readonly Token[] | undefined): ReactNode[] {
  // Tokens have no identity besides their position.
  return (tokens ?? []).map((token, index) => <Fragment key={index}>{nodeOf(token)}</Fragment>)
}

function nodeOf(token: Token): ReactNode {
  const render = Object.hasOwn(kinds, token.type) ? kinds[token.type] : undefined
  return render === undefined ? ('text' in token ? String(token.text) : token.raw) : render(token as never)
}

const kinds: Readonly<Record<string, (token: never) => ReactNode>> = {
  space: () => null,
  hr: () => <hr />,
  br: () => <br />,
  // Headings start below those of the page.
  heading: ({ depth, tokens }: Tokens.Heading) =>
    createElement(`h${Math.min(depth + 3, 6)}`, null, nodes(tokens)),
  paragraph: ({ tokens }: Tokens.Paragraph) => <p>{nodes(tokens)}</p>,
  text: ({ tokens, text }: Tokens.Text) => (tokens === undefined ? plain(text) : nodes(tokens)),
  escape: ({ text }: Tokens.Escape) => plain(text),
  html: ({ raw }: Tokens.HTML) => raw,
  strong: ({ tokens }: Tokens.Strong) => <strong>{nodes(tokens)}</strong>,
  em: ({ tokens }: Tokens.Em) => <em>{nodes(tokens)}</em>,
  del: ({ tokens }: Tokens.Del) => <del>{nodes(tokens)}</del>,
  codespan: ({ text }: Tokens.Codespan) => <code>{text}</code>,
  code: ({ text }: Tokens.Code) => <pre>{text}</pre>,
  blockquote: ({ tokens }: Tokens.Blockquote) => <blockquote>{nodes(tokens)}</blockquote>,
  list: ({ ordered, items }: Tokens.List) =>
    createElement(
      ordered ? 'ol' : 'ul',
      null,
      items.map((item, index) => <li key={index}>{nodes(item.tokens)}</li>),
    ),
  link: ({ href, tokens }: Tokens.Link) => <Link href={href}>{nodes(tokens)}</Link>,
  image: ({ href, text }: Tokens.Image) => <Picture href={href} text={text} />,
  table: ({ header, rows }: Tokens.Table) => (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }, index) => (
            <th key={index} scope="col">
              {nodes(tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map(({ tokens }, column) => (
              <td key={column}>{nodes(tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  ),
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/** Unescapes text, because some versions of the library escape it for HTML. */
function plain(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) {
    return (
      <>
        {children} <code>{href}</code>
      </>
    )
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

function Picture({ href, text }: { href: string; text: string }) {
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(href)) return <img src={href} alt={text} />
  return <Link href={href}>{text || href}</Link>
}
