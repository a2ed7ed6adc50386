/** The explorer: a page in which people read about a server and try it. */

import './app.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'
import { comeBack } from './oauth/flow.js'

/** Before anything is asked for: the address may hold what nobody else should see. */
const returning = comeBack()

createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <App returning={returning} />
  </StrictMode>,
)
