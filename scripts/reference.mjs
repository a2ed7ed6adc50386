// npm run docs:build: writes a reference page for every entry of package.json from the docstrings of its exports.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
// TypeScript 7, which this project uses, has no stable API yet.
import ts from 'typescript6'

const root = fileURLToPath(new URL('..', import.meta.url))
const wide = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope

/** Returns the text of each page, by its path below docs/. */
export function referencePages() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
  const sources = entries.map((entry) => sourceOf(exports[entry]))
  const program = ts.createProgram(sources, options, withoutPackages(ts.createCompilerHost(options)))
  const checker = program.getTypeChecker()
  const pageOfSymbol = new Map()
  return new Map(
    entries.map((entry, index) => {
      const name = entry === '.' ? 'mcp-router' : entry.slice('./'.length)
      const file = program.getSourceFile(sources[index])
      const path = `reference/${name}.md`
      return [path, pageOf(entry.replace(/^\./, 'mcp-router'), file, { checker, pageOfSymbol, name })]
    }),
  )
}

function sourceOf(entry) {
  return join(root, entry.import.types.replace('./dist/esm/', '').replace(/\.d\.ts$/, '.ts'))
}

const options = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  noLib: true,
  types: [],
}

/** Makes the compiler skip packages, whose types take most of the time and aren't needed for declarations as written. */
function withoutPackages(host) {
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const resolvedFileName = join(dirname(from), text).replace(/\.js$/, '.ts')
      return { resolvedModule: text.startsWith('.') ? { resolvedFileName, extension: '.ts' } : undefined }
    })
  return host
}

function pageOf(entry, file, { checker, pageOfSymbol, name }) {
  const module = checker.getSymbolAtLocation(file)
  const symbols = checker.getExportsOfModule(module).sort((one, other) => (one.name < other.name ? -1 : 1))
  const parts = symbols.map((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const elsewhere = pageOfSymbol.get(symbol)
    const heading = `## ${exported.name}`
    if (elsewhere !== undefined) return `${heading}\n\nThe same as in [${elsewhere}](${elsewhere}.md).`
    pageOfSymbol.set(symbol, name)
    return [heading, ...describe(symbol, exported.name, checker)].join('\n\n')
  })
  const about = /^\/\*\*\s*(.*?)\*\//s.exec(file.text)?.[1] ?? ''
  return `${[`# ${entry}`, plain(about), ...parts].filter((part) => part !== '').join('\n\n')}\n`
}

/** Describes a symbol: its code, its docstring and its members. */
function describe(symbol, name, checker) {
  const declarations = symbol.declarations ?? []
  const code = declarations.map((node) => codeOf(node, name, checker)).filter((text) => text !== '')
  const members = declarations.flatMap(membersOf)
  return [
    `\`\`\`ts\n${[...new Set(code)].join('\n')}\n\`\`\``,
    [...new Set(declarations.map(docOf))].filter((doc) => doc !== '').join('\n\n'),
    members.join('\n'),
  ].filter((part) => part !== '')
}

function codeOf(node, name, checker) {
  if (ts.isFunctionDeclaration(node)) {
    // With overloads, the implementation's signature isn't public.
    if (node.body !== undefined && node.symbol.declarations.length > 1) return ''
    return withoutBody(node).replace(/^export (default )?/, '')
  }
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) return headOf(node)
  if (ts.isVariableDeclaration(node)) {
    const inferred = () => checker.typeToString(checker.getTypeAtLocation(node), node, wide)
    return `const ${name}: ${node.type?.getText() ?? inferred()}`
  }
  if (ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type))
    return `type ${name}${parameters(node)} = { … }`
  return node.getText().replace(/^export /, '')
}

function headOf(node) {
  const kind = ts.isClassDeclaration(node) ? 'class' : 'interface'
  const clauses = (node.heritageClauses ?? []).map((clause) => ` ${oneLine(clause.getText())}`)
  return `${kind} ${node.name?.text}${parameters(node)}${clauses.join('')}`
}

function parameters({ typeParameters = [] }) {
  return typeParameters.length === 0
    ? ''
    : `<${typeParameters.map((parameter) => oneLine(parameter.getText())).join(', ')}>`
}

function membersOf(node) {
  const { members = [] } = ts.isTypeAliasDeclaration(node) ? node.type : node
  return members.filter(isPublic).map((member) => {
    const doc = docOf(member)
    return `- \`${oneLine(withoutBody(member)).replace(/^public /, '')}\`${doc && `: ${doc.replaceAll('\n', '\n  ')}`}`
  })
}

function isPublic(member) {
  if (
    member.name !== undefined &&
    (ts.isPrivateIdentifier(member.name) || ts.isComputedPropertyName(member.name))
  )
    return false
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected
  if (ts.getCombinedModifierFlags(member) & hidden) return false
  return !ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal')
}

/** Returns the text of a declaration without its body and its initializer. */
function withoutBody(node) {
  const end = node.body?.getStart() ?? node.initializer?.getStart()
  if (end === undefined) return node.getText()
  const text = node.getSourceFile().text.slice(node.getStart(), end)
  return node.body === undefined ? text.replace(/\s*=\s*$/, '') : text.trimEnd()
}

/** Returns the docstring of this declaration only, since overloads have their own. */
function docOf(node) {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const texts = comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
  const tags = ts
    .getJSDocTags(node)
    .filter(({ tagName }) => tagName.text !== 'internal')
    .map((tag) => `*${tag.tagName.text}* ${ts.getTextOfJSDocComment(tag.comment) ?? ''}`.trim())
  return [...texts, ...tags].filter((part) => part !== '').join('\n\n')
}

function plain(comment) {
  return comment.replace(/^\s*\* ?/gm, '').trim()
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').replaceAll('`', "'")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(join(root, 'docs/reference'), { recursive: true, force: true })
  for (const [path, text] of referencePages()) {
    const file = join(root, 'docs', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
