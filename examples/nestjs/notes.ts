/** The existing part of the app: a service and an HTTP controller. */
import { Controller, Get, Inject, Injectable, Module, Req } from '@nestjs/common'

export interface User {
  id: string
  name: string
}

export interface Note {
  id: number
  owner: string
  text: string
}

/** The API keys of the two users. A real app has a login. */
export const keys = { ana: 'ana-likes-lists', ben: 'ben-likes-boats' }

const users = new Map<string | undefined, User>([
  [`Bearer ${keys.ana}`, { id: '1', name: 'Ana' }],
  [`Bearer ${keys.ben}`, { id: '2', name: 'Ben' }],
])

@Injectable()
export class UserService {
  find(authorization: string | undefined): User | undefined {
    return users.get(authorization)
  }
}

@Injectable()
export class NoteService {
  readonly #notes: Note[] = [{ id: 1, owner: '1', text: 'Water the plants' }]

  of(user: User): Note[] {
    return this.#notes.filter(({ owner }) => owner === user.id)
  }

  write(user: User, text: string): Note {
    const note = { id: this.#notes.length + 1, owner: user.id, text }
    this.#notes.push(note)
    return note
  }
}

@Controller('notes')
export class NoteController {
  constructor(
    @Inject(NoteService) private readonly notes: NoteService,
    @Inject(UserService) private readonly users: UserService,
  ) {}

  @Get()
  list(@Req() req: { headers: { authorization?: string } }): Note[] {
    const user = this.users.find(req.headers.authorization)
    return user === undefined ? [] : this.notes.of(user)
  }
}

@Module({
  controllers: [NoteController],
  providers: [NoteService, UserService],
  exports: [NoteService, UserService],
})
export class NoteModule {}
