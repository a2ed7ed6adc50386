/**
 * Publish and subscribe that loses nothing: messages are kept in a stream for a while, and pushed to whoever listens.
 * Each carries the id of the one before it, so a listener that was cut off sees that it missed some, and reads them.
 */

import type { Connection } from './connection.js'

/** How much of a channel is kept for listeners that were cut off: entries, bytes, milliseconds. */
const kept = ['10000', String(8 * 1024 * 1024), '300000'] as const
/** A push can be lost without a later one that would show it: channels are looked at this often. */
const lookMs = 2_000

/** A server with very many channels here is not asked about all of them at once. */
const mostAtOnce = 500

type Listener = (message: string) => void

/** What is known of the channels, for whoever watches the store. */
export interface ChannelStatus {
  /** How often a listener was cut off for longer than messages are kept. */
  gaps: number
}

export class Channels {
  readonly #connection: Connection
  readonly #keyOf: (channel: string) => string
  readonly #channels = new Map<string, Channel>()
  readonly status: ChannelStatus = { gaps: 0 }
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(connection: Connection, keyOf: (channel: string) => string) {
    this.#connection = connection
    this.#keyOf = keyOf
    connection.onReady(() => this.#look(this.#channels.size))
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#connection.run((redis) => redis.publishTo(this.#keyOf(channel), message, ...kept))
  }

  async subscribe(name: string, listener: Listener): Promise<() => void> {
    const channel = this.#channels.get(name) ?? new Channel(this.#connection, this.#keyOf(name), this.status)
    this.#channels.set(name, channel)
    const own: Listener = (message) => listener(message)
    channel.listeners.add(own)
    const stop = (): void => {
      if (!channel.listeners.delete(own) || channel.listeners.size > 0) return
      if (this.#channels.get(name) === channel) this.#channels.delete(name)
      channel.close()
      if (this.#channels.size === 0) this.close()
    }
    try {
      await channel.opened()
    } catch (error) {
      stop()
      throw error
    }
    this.#timer ??= setInterval(() => this.#look(mostAtOnce), lookMs)
    this.#timer.unref()
    return stop
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const channel of this.#channels.values()) channel.listeners.clear()
    this.#channels.clear()
  }

  /** At those first that were not looked at for longest. */
  #look(most: number): void {
    for (const [name, channel] of [...this.#channels].slice(0, most)) {
      this.#channels.delete(name)
      this.#channels.set(name, channel)
      void channel.catchUp()
    }
  }
}

class Channel {
  readonly listeners = new Set<Listener>()
  readonly #connection: Connection
  readonly #key: string
  readonly #status: ChannelStatus
  /** The id of the last message that was heard. */
  #last = ''
  #opening: Promise<void> | undefined
  #reading = false
  /** Something came while the stream was read. */
  #again = false

  constructor(connection: Connection, key: string, status: ChannelStatus) {
    this.#connection = connection
    this.#key = key
    this.#status = status
  }

  /** Resolves once listening. */
  opened(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** Reads what was missed; what fails is tried again with the next look. Never rejects. */
  async catchUp(): Promise<void> {
    this.#again = true
    if (this.#reading) return
    this.#reading = true
    try {
      while (this.#again) await this.#read()
    } catch {
    } finally {
      this.#reading = false
    }
  }

  close(): void {
    this.#connection.run((redis) => redis.sUnsubscribe(this.#key)).catch(() => {})
  }

  async #open(): Promise<void> {
    const entries = await this.#connection.run((redis) => redis.lastOf(this.#key))
    this.#last = entries[0]?.id ?? ''
    await this.#connection.run((redis) => redis.sSubscribe(this.#key, (pushed) => this.#hear(pushed)))
    await this.#read()
  }

  async #read(): Promise<void> {
    this.#again = false
    const after = this.#last
    let entries = await this.#connection.run((redis) => redis.readFrom(this.#key, after))
    if (entries === undefined) {
      // Longer away than messages are kept: what is left is heard.
      entries = (await this.#connection.run((redis) => redis.readFrom(this.#key, ''))) ?? []
      if (entries.length > 0) this.#status.gaps += 1
    }
    for (const { id, value } of entries) if (isAfter(id, this.#last)) this.#deliver(id, value)
  }

  #hear(pushed: string): void {
    const [before = '', id = ''] = pushed.split(' ', 2)
    const value = pushed.slice(before.length + id.length + 2)
    // The server had no room to keep it: nobody can read it a second time.
    if (id === '') this.#deliver(this.#last, value)
    else if (!isAfter(id, this.#last)) return
    else if (before === this.#last || before === '') this.#deliver(id, value)
    else void this.catchUp()
  }

  #deliver(id: string, value: string): void {
    this.#last = id
    for (const listener of [...this.listeners]) {
      // Listeners answer for their own failures; one must not keep the message from the others.
      try {
        listener(value)
      } catch {}
    }
  }
}

/** Ids are a time and a number within it: `1700000000000-0`. */
function isAfter(id: string, last: string): boolean {
  if (last === '') return true
  const [[time = 0, count = 0], [lastTime = 0, lastCount = 0]] = [id, last].map((one) =>
    one.split('-').map(Number),
  ) as [number[], number[]]
  return time > lastTime || (time === lastTime && count > lastCount)
}
