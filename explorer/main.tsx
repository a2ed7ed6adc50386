/** Entry point of the explorer, a page to look at a server and try it. */

import './app.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'
import { finishSignIn } from './oauth/flow.js'

/** Runs before any request, because the URL may contain an authorization code, which must not leak. */
const returning = finishSignIn()

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <App returning={returning} />
  </StrictMode>,
)
