/**
 * Publish and subscribe without lost messages: each message is pushed to subscribers and kept in a stream for a while.
 * A message carries the id of the previous one, so a subscriber that was disconnected notices a gap and reads the stream.
 */

import type { Connection } from './connection.js'

/** How much of a channel is kept for disconnected subscribers: entries, bytes, milliseconds. */
const retention = ['10000', String(8 * 1024 * 1024), '300000'] as const
/** How often streams are polled, because the last message may be lost with no later one to reveal it. Milliseconds. */
const pollMs = 2_000

/** How many channels one poll reads, so that many channels don't overload the server. */
const maxPolledAtOnce = 500

type Listener = (message: string) => void

/** The state of the channels, for `store.status()`. */
export interface ChannelStatus {
  /** How often a subscriber was disconnected for longer than messages are kept. */
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
    connection.onReady(() => this.#poll(this.#channels.size))
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#connection.run((redis) => redis.publishTo(this.#keyOf(channel), message, ...retention))
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
    this.#timer ??= setInterval(() => this.#poll(maxPolledAtOnce), pollMs)
    this.#timer.unref()
    return stop
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const channel of this.#channels.values()) channel.listeners.clear()
    this.#channels.clear()
  }

  /** Reads up to `limit` channels, starting with those that weren't polled for longest. */
  #poll(limit: number): void {
    for (const [name, channel] of [...this.#channels].slice(0, limit)) {
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
  /** The id of the last delivered message. */
  #last = ''
  #opening: Promise<void> | undefined
  #reading = false
  /** Whether another read was requested while the stream was being read. */
  #again = false

  constructor(connection: Connection, key: string, status: ChannelStatus) {
    this.#connection = connection
    this.#key = key
    this.#status = status
  }

  /** Resolves once the channel is subscribed. */
  opened(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** Reads missed messages. The next poll retries after a failure. Never rejects. */
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
    await this.#connection.run((redis) => redis.sSubscribe(this.#key, (pushed) => this.#receive(pushed)))
    await this.#read()
  }

  async #read(): Promise<void> {
    this.#again = false
    const after = this.#last
    let entries = await this.#connection.run((redis) => redis.readFrom(this.#key, after))
    if (entries === undefined) {
      // Messages in the gap have expired: deliver all that are left.
      entries = (await this.#connection.run((redis) => redis.readFrom(this.#key, ''))) ?? []
      if (entries.length > 0) this.#status.gaps += 1
    }
    for (const { id, value } of entries) if (isAfter(id, this.#last)) this.#deliver(id, value)
  }

  #receive(pushed: string): void {
    const [before = '', id = ''] = pushed.split(' ', 2)
    const value = pushed.slice(before.length + id.length + 2)
    // Without an id the server had no memory to keep the message, so it can't be read from the stream.
    if (id === '') this.#deliver(this.#last, value)
    else if (!isAfter(id, this.#last)) return
    else if (before === this.#last || before === '') this.#deliver(id, value)
    else void this.catchUp()
  }

  #deliver(id: string, value: string): void {
    this.#last = id
    for (const listener of [...this.listeners]) {
      // An error of one listener must not keep the message from the others.
      try {
        listener(value)
      } catch {}
    }
  }
}

/** Whether stream id `id` is later than `last`. Ids are a time and a sequence number: `1700000000000-0`. */
function isAfter(id: string, last: string): boolean {
  if (last === '') return true
  const [[time = 0, count = 0], [lastTime = 0, lastCount = 0]] = [id, last].map((streamId) =>
    streamId.split('-').map(Number),
  ) as [number[], number[]]
  return time > lastTime || (time === lastTime && count > lastCount)
}
