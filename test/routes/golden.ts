/** One API in every framework, and the tools that it must have in all of them. */

import { McpRouter } from 'mcp-router'
import type { AnyRouteOptions } from '../../src/internal.js'
import { quiet } from '../contract/host.js'

/** What a handler answers: which route it was, and what reached it. */
export interface Reached {
  readonly route: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The golden app in one framework, with a router that selects its routes as below. */
export interface GoldenApp {
  readonly router: McpRouter<object>
  readonly app: object
  /** Where it listens, for comparison with what its tools answer. */
  readonly origin: string
}

export interface GoldenHost {
  readonly name: string
  /** Starts it; closed with the test. */
  start(routes: Pick<AnyRouteOptions, 'include' | 'exclude'>, server: McpRouter<object>): Promise<GoldenApp>
}

export const include: readonly string[] = ['* /**']
export const exclude: readonly string[] = ['/internal/**']

export function goldenRouter(): McpRouter<object> {
  return new McpRouter<object>({ name: 'golden', version: '1.0.0', logger: quiet })
}

interface GoldenTool {
  readonly name: string
  readonly route: string
  /** Path parameters; those with `?` may be missing. */
  readonly path: readonly string[]
  readonly annotations?: object
}

const readOnly = { annotations: { readOnlyHint: true } }
const replaces = { annotations: { idempotentHint: true } }
const deletes = { annotations: { destructiveHint: true, idempotentHint: true } }

export const goldenTools: readonly GoldenTool[] = [
  { name: 'get_tasks', route: 'GET /tasks', path: [], ...readOnly },
  { name: 'post_tasks', route: 'POST /tasks', path: [] },
  { name: 'get_tasks_by_id', route: 'GET /tasks/{id}', path: ['id'], ...readOnly },
  { name: 'put_tasks_by_id', route: 'PUT /tasks/{id}', path: ['id'], ...replaces },
  { name: 'patch_tasks_by_id', route: 'PATCH /tasks/{id}', path: ['id'] },
  { name: 'delete_tasks_by_id', route: 'DELETE /tasks/{id}', path: ['id'], ...deletes },
  { name: 'get_api_v1_users', route: 'GET /api/v1/users', path: [], ...readOnly },
  { name: 'get_api_v1_users_by_userId', route: 'GET /api/v1/users/{userId}', path: ['userId'], ...readOnly },
  {
    name: 'post_api_v1_users_by_userId_avatar',
    route: 'POST /api/v1/users/{userId}/avatar',
    path: ['userId'],
  },
  { name: 'get_orgs_by_org_members', route: 'GET /orgs/{org}/members', path: ['org'], ...readOnly },
  {
    name: 'get_orgs_by_org_members_by_id',
    route: 'GET /orgs/{org}/members/{id}',
    path: ['org', 'id'],
    ...readOnly,
  },
  {
    name: 'delete_orgs_by_org_members_by_id',
    route: 'DELETE /orgs/{org}/members/{id}',
    path: ['org', 'id'],
    ...deletes,
  },
  { name: 'get_colours', route: 'GET /colours', path: [], ...readOnly },
  { name: 'get_colors', route: 'GET /colors', path: [], ...readOnly },
  { name: 'get_archive_by_year', route: 'GET /archive/{year}', path: ['year?'], ...readOnly },
  { name: 'get_ranges_by_from_by_to', route: 'GET /ranges/{from}-{to}', path: ['from', 'to'], ...readOnly },
  { name: 'get_files_by_name_json', route: 'GET /files/{name}.json', path: ['name'], ...readOnly },
  { name: 'get_robots_txt', route: 'GET /robots.txt', path: [], ...readOnly },
  { name: 'pay', route: 'POST /payments', path: [] },
  { name: 'get_sub_status_by_id', route: 'GET /sub/status/{id}', path: ['id'], ...readOnly },
  {
    name: 'get_care_by_people_of_taste_by_resourceIdentifier_67e84be9',
    route: 'GET /a/resource/named/with/patience/and/care/by/people/of/taste/{resourceIdentifier}',
    path: ['resourceIdentifier'],
    ...readOnly,
  },
]

/** The routes that are not tools, with reasons. */
export const goldenReasons: readonly (readonly [route: string, reason: string])[] = [
  ['GET /internal/health', 'excluded by "/internal/**"'],
  ['GET /secret', 'hidden'],
  ['ALL /anything', 'it handles every method; declare one route for each method that should be a tool'],
  ['GET /assets/*', 'a catch-all'],
]
