/** The pages of the authorization server: login and consent. */

import type { RequestListener } from 'node:http'
import cors from 'cors'
import express, { type Response } from 'express'
import type Provider from 'oidc-provider'
import type { Interaction } from 'oidc-provider'
import { checkPassword } from './users.js'

/** Creates an app with the pages and the provider. */
export function createPages(provider: Provider): RequestListener {
  const app = express().disable('x-powered-by')
  const form = express.urlencoded({ extended: false })

  app.get('/interaction/:uid', async (req, res) => {
    const interaction = await provider.interactionDetails(req, res)
    if (interaction.prompt.name === 'login') return showPage(res, loginForm(interaction.uid))
    const client = await provider.Client.find(interaction.params.client_id)
    showPage(res, consentForm(client?.clientName ?? interaction.params.client_id, interaction))
  })

  app.post('/interaction/:uid/login', form, async (req, res) => {
    const { uid } = await provider.interactionDetails(req, res)
    const user = checkPassword(String(said(req).name), String(said(req).password))
    if (user === undefined) return showPage(res.status(401), loginForm(uid, 'Wrong name or password'))
    await provider.interactionFinished(req, res, { login: { accountId: user.id } }, fresh)
  })

  app.post('/interaction/:uid/consent', form, async (req, res) => {
    const interaction = await provider.interactionDetails(req, res)
    const denied = { error: 'access_denied', error_description: 'The user said no' }
    const answer = said(req).answer === 'allow' ? await grant(provider, interaction) : denied
    await provider.interactionFinished(req, res, answer, { mergeWithLastSubmission: true })
  })

  // Web pages register as clients too, such as the explorer.
  app.use('/reg', cors())
  app.use(provider.callback())
  return app
}

/** Returns the submitted form. */
function said({ body }: { body?: unknown }): Record<string, unknown> {
  return (body ?? {}) as Record<string, unknown>
}

const fresh = { mergeWithLastSubmission: false }

async function grant(provider: Provider, { grantId, session, params, prompt }: Interaction) {
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const accountId = session?.accountId ?? ''
  const granted = known ?? new provider.Grant({ accountId, clientId: params.client_id })
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details
  if (missingOIDCScope.length > 0) granted.addOIDCScope(missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    granted.addResourceScope(resource, scopes.join(' '))
  return { consent: { grantId: await granted.save() } }
}

function loginForm(uid: string, problem = ''): string {
  return `<h1>Sign in</h1>
<p role="alert">${problem}</p>
<form method="post" action="/interaction/${uid}/login">
  <label>Name <input name="name" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
</form>`
}

function consentForm(client: string, { uid, params, prompt }: Interaction): string {
  const scopes = Object.values(prompt.details.missingResourceScopes ?? {}).flat()
  return `<h1>Let ${escapeHtml(client)} in?</h1>
<p>You will return to ${escapeHtml(new URL(params.redirect_uri).host)}. It asks for:</p>
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}</ul>
<form method="post" action="/interaction/${uid}/consent">
  <button name="answer" value="allow">Allow</button>
  <button name="answer" value="deny">Deny</button>
</form>`
}

/** Forbids other sites to embed these pages. */
function showPage(res: Response, body: string): void {
  res.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  })
  res
    .type('html')
    .send(`<!doctype html><html lang="en"><title>Example login</title><main>${body}</main></html>`)
}

/** Escapes text for HTML, since clients choose their own names. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
