/** Acts as a user without a browser: follows redirects, keeps cookies, fills in forms. */

/** Returns the values for the form of a page, by field name. Throws for an unexpected page. */
export type Answers = (page: string) => Record<string, string>

interface Step {
  url: URL
  form?: Record<string, string>
}

/** Goes from the authorization URL to the redirect URI. Resolves to the latter, with the code in it. */
export async function logIn(address: URL, redirectUrl: string, answers: Answers): Promise<URL> {
  const cookies = new Map<string, string>()
  let step: Step = { url: address }
  for (let count = 0; count < 20; count++) {
    if (step.url.href.startsWith(redirectUrl)) return step.url
    step = await follow(step.url, await visit(step, cookies), answers)
  }
  throw new Error(`Expected to come back to ${redirectUrl}, got stuck at ${step.url}`)
}

async function follow(url: URL, response: Response, answers: Answers): Promise<Step> {
  const location = response.headers.get('location')
  if (location !== null) return { url: new URL(location, url) }
  const page = await response.text()
  const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? []
  if (action === undefined) throw new Error(`Expected a form at ${url}, got ${response.status} ${page}`)
  return { url: new URL(action, url), form: answers(page) }
}

async function visit({ url, form }: Step, cookies: Map<string, string>): Promise<Response> {
  const response = await fetch(url, {
    method: form === undefined ? 'GET' : 'POST',
    body: form === undefined ? null : new URLSearchParams(form),
    headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    redirect: 'manual',
  })
  for (const line of response.headers.getSetCookie()) {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    cookies.set(name, value)
  }
  return response
}

/** Signs in with a password, and then gives or denies consent. */
export function as({ name, password }: { name: string; password: string }, answer = 'allow'): Answers {
  return (page) => (page.includes('name="password"') ? { name, password } : { answer })
}
