/** The tools: an ordinary provider, so that Nest injects its services. */
import { Inject, Injectable, Module } from '@nestjs/common'
import { McpRouter, tool } from 'mcp-router'
import { z } from 'zod'
import { NoteModule, NoteService, type User } from './notes.js'

declare module 'mcp-router' {
  interface Register {
    user: User | undefined
  }
}

@Injectable()
export class NoteTools {
  constructor(@Inject(NoteService) private readonly notes: NoteService) {}

  readonly note_list = tool({
    description: 'Lists my notes.',
    annotations: { readOnly: true },
    requireUser: true,
    handler: (_, ctx) => this.notes.of(ctx.user),
  })

  readonly note_write = tool({
    description: 'Writes a note of mine.',
    input: z.object({ text: z.string().min(1).max(200) }),
    requireUser: true,
    handler: ({ text }, ctx) => this.notes.write(ctx.user, text),
  })
}

@Module({
  imports: [NoteModule],
  providers: [
    NoteTools,
    {
      provide: McpRouter,
      inject: [NoteTools],
      useFactory: (tools: NoteTools) => new McpRouter({ name: 'notes', version: '1.0.0' }).add(tools),
    },
  ],
})
export class AppModule {}
