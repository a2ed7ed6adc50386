/** The page: the header with the server's name, the list of items, and the selected item or view. */

import { useEffect, useState } from 'react'
import { Activity } from './activity.js'
import { Connect } from './connect.js'
import { useConnection } from './connection.js'
import { Header, nameOf, type View } from './header.js'
import { anonymous, type Identity } from './identity.js'
import { ItemList } from './item-list.js'
import { ItemView } from './item-view.js'
import { QuestionDialog, useQuestions } from './questions.js'
import type { Era } from './session.js'
import { SignIn } from './sign-in.js'
import { useIdentity } from './use-identity.js'

/** The page. `returning`: the identity from a sign-in that led back to this page. */
export function App({ returning }: { returning: Promise<Identity> | undefined }) {
  const [era, setEra] = useState<Era>('modern')
  const [roots, setRoots] = useState<readonly string[]>([])
  const [view, setView] = useState<View>('explore')
  const [chosen, choose] = useChosen()
  const { identity, challenge, failure, signIn, setChallenge } = useIdentity(returning)
  const { question, ask } = useQuestions(roots)
  const { connected, problem, listen } = useConnection({
    era,
    identity,
    roots,
    ask,
    onChallenge: setChallenge,
  })
  const item = connected?.items.find(({ id }) => id === chosen)
  return (
    <>
      <Header
        connected={connected}
        era={era}
        onEra={setEra}
        roots={roots}
        onRoots={setRoots}
        view={view}
        onView={setView}
      />
      {[failure, problem]
        .filter((message) => message !== '')
        .map((message) => (
          <p key={message} className="failure" role="alert">
            {message}
          </p>
        ))}
      <SignIn
        wanted={problem !== '' || failure !== '' || challenge !== undefined}
        challenge={challenge}
        identity={identity ?? anonymous}
        onIdentity={signIn}
      />
      {connected === undefined && (
        <main className="quiet">
          {problem === '' ? 'Loading what the server offers …' : 'Nothing to show yet.'}
        </main>
      )}
      {connected !== undefined && view === 'activity' && (
        <main>
          <Activity
            session={connected.session}
            items={connected.items}
            isSignedIn={identity !== anonymous}
            listen={listen}
          />
        </main>
      )}
      {connected !== undefined && view === 'connect' && (
        <main>
          <Connect serverName={nameOf(connected)} />
        </main>
      )}
      {connected !== undefined && view === 'explore' && (
        <div className="columns">
          <ItemList items={connected.items} chosen={chosen} onChoose={choose} />
          <main>
            {item === undefined ? (
              <p className="quiet">Choose a tool, resource or prompt to see its details and try it.</p>
            ) : (
              <ItemView
                key={`${item.id} ${connected.session.version}`}
                item={item}
                items={connected.items}
                ask={ask}
                session={connected.session}
                listen={listen}
              />
            )}
          </main>
        </div>
      )}
      {question !== undefined && <QuestionDialog key={question.id} question={question} />}
    </>
  )
}

/** The selected item. It's in the fragment of the URL, so that links can name it. */
function useChosen(): [string | undefined, (id: string) => void] {
  const read = (): string | undefined => decode(location.hash.slice(1)) || undefined
  const [chosen, setChosen] = useState(read)
  useEffect(() => {
    const changed = (): void => setChosen(read())
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  })
  return [
    chosen,
    (id) => {
      // Setting `location.hash` would navigate and move the focus.
      history.pushState(undefined, '', `#${encodeURIComponent(id)}`)
      setChosen(id)
    },
  ]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
